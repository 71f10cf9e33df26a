package dev.outbox.sample.billing;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Bank that declines charges to marked keys. */
@Component
final class SimulatedBank implements Bank {

    private static final Logger log = LoggerFactory.getLogger(SimulatedBank.class);

    private static final String DECLINES = """
            SELECT declines
              FROM billing.billing_keys
             WHERE id = :id
            """;

    private final JdbcClient jdbc;

    SimulatedBank(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public boolean collect(Charge charge, String planCode) {
        boolean paid = !jdbc.sql(DECLINES)
                .param("id", charge.billingKeyId())
                .query(Boolean.class)
                .single();
        log.info("{} for {}: {}", charge, planCode, paid ? "paid" : "declined");
        return paid;
    }
}
