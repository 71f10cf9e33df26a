package dev.outbox.sample.billing;

import dev.outbox.sample.demo.Outage;
import dev.outbox.sample.demo.Outages;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Bank that declines charges to deleted keys, stores one answer for each idempotency key, and can be told to decline, to be down or to lose
 * its answers.
 */
@Component
@ConditionalOnProperty(name = "sample.billing.bank", havingValue = "simulated", matchIfMissing = true)
final class SimulatedBank implements Bank {

    private static final Logger log = LoggerFactory.getLogger(SimulatedBank.class);

    private static final String ANSWER = """
            INSERT INTO billing.simulated_collections AS answer (charge_id, billing_key_id, amount, currency, status)
            SELECT :id, id, :amount, :currency, CASE WHEN :declines OR status = 'deleted' THEN 'declined' ELSE 'paid' END
              FROM billing.billing_keys
             WHERE id = :billingKeyId
            ON CONFLICT (charge_id) DO UPDATE
               SET requests = answer.requests + 1
            RETURNING answer.status = 'paid'
            """;

    private static final String CANCEL = """
            INSERT INTO billing.simulated_collections AS answer (charge_id, billing_key_id, amount, currency, status)
            VALUES (:id, :billingKeyId, :amount, :currency, 'canceled')
            ON CONFLICT (charge_id) DO UPDATE
               SET status = 'canceled'
             WHERE answer.status = 'paid'
            """;

    private final JdbcClient jdbc;
    private final Outages outages;

    SimulatedBank(JdbcClient jdbc, Outages outages) {
        this.jdbc = jdbc;
        this.outages = outages;
    }

    @Override
    public boolean collect(Charge charge) {
        Outage outage = reachable(charge);
        boolean paid = send(ANSWER, charge)
                .param("declines", outage == Outage.DECLINE)
                .query(Boolean.class)
                .single();
        log.info("{}: {}", charge, paid ? "paid" : "declined");
        answer(charge, outage);
        return paid;
    }

    @Override
    public void cancel(Charge charge) {
        Outage outage = reachable(charge);
        send(CANCEL, charge).update();
        log.info("{}: canceled", charge);
        answer(charge, outage);
    }

    private Outage reachable(Charge charge) {
        Outage outage = outages.of("bank");
        if (outage == Outage.DOWN) {
            throw new BankException(charge, "the bank cannot be reached");
        }
        return outage;
    }

    private static void answer(Charge charge, Outage outage) {
        if (outage == Outage.LOSE_ANSWER) {
            throw new BankException(charge, "the bank has not answered");
        }
    }

    private JdbcClient.StatementSpec send(String sql, Charge charge) {
        return jdbc.sql(sql)
                .param("id", charge.id())
                .param("billingKeyId", charge.billingKeyId())
                .param("amount", charge.amount())
                .param("currency", charge.currency());
    }
}
