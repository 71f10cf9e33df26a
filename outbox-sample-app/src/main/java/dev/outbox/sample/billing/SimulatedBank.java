package dev.outbox.sample.billing;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Bank that declines charges to marked or deleted keys, and stores one answer for each idempotency key. */
@Component
@ConditionalOnProperty(name = "sample.billing.bank", havingValue = "simulated", matchIfMissing = true)
final class SimulatedBank implements Bank {

    private static final Logger log = LoggerFactory.getLogger(SimulatedBank.class);

    private static final String ANSWER = """
            INSERT INTO billing.simulated_collections (charge_id, billing_key_id, plan_code, status)
            SELECT :id, id, :planCode, CASE WHEN declines OR status = 'deleted' THEN 'declined' ELSE 'paid' END
              FROM billing.billing_keys
             WHERE id = :billingKeyId
            ON CONFLICT (charge_id) DO NOTHING
            """;

    private static final String PAID = """
            SELECT status = 'paid'
              FROM billing.simulated_collections
             WHERE charge_id = :id
            """;

    private static final String CANCEL = """
            INSERT INTO billing.simulated_collections AS answer (charge_id, billing_key_id, plan_code, status)
            VALUES (:id, :billingKeyId, :planCode, 'canceled')
            ON CONFLICT (charge_id) DO UPDATE
               SET status = 'canceled'
             WHERE answer.status = 'paid'
            """;

    private final JdbcClient jdbc;

    SimulatedBank(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public boolean collect(Charge charge) {
        send(ANSWER, charge);
        boolean paid =
                jdbc.sql(PAID).param("id", charge.id()).query(Boolean.class).single();
        log.info("{}: {}", charge, paid ? "paid" : "declined");
        return paid;
    }

    @Override
    public void cancel(Charge charge) {
        send(CANCEL, charge);
        log.info("{}: canceled", charge);
    }

    private void send(String sql, Charge charge) {
        jdbc.sql(sql)
                .param("id", charge.id())
                .param("billingKeyId", charge.billingKeyId())
                .param("planCode", charge.planCode())
                .update();
    }
}
