package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleTest;
import java.math.BigDecimal;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("full")
@SampleTest
class SignalsTest {

    private final String market = "KRW-" + UUID.randomUUID();

    @Autowired
    private Signals signals;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void storesSignalIntentAttemptAndCommandAtomically() {
        transaction.executeWithoutResult((status) -> {
            accept();
            status.setRollbackOnly();
        });
        assertThat(stored()).isEqualTo(new Stored(0, 0, 0, 0));

        accept();

        assertThat(stored()).isEqualTo(new Stored(1, 1, 1, 1));
    }

    private void accept() {
        signals.accept(new Signal("OWNER", "EXTREME_FLIP", market, Side.BUY, BigDecimal.ONE));
    }

    private Stored stored() {
        return jdbc.sql("""
                        SELECT (SELECT count(*) FROM trading.signals WHERE market = :market) AS signals,
                               (SELECT count(*) FROM trading.order_intents WHERE market = :market) AS intents,
                               (SELECT count(*)
                                  FROM trading.order_attempts a
                                  JOIN trading.order_intents i ON i.id = a.order_intent_id
                                 WHERE i.market = :market) AS attempts,
                               (SELECT count(*)
                                  FROM events.outbox
                                 WHERE event_type = 'CreateOrderAttempt'
                                   AND headers ->> 'market' = :market) AS commands
                        """).param("market", market).query(Stored.class).single();
    }

    record Stored(long signals, long intents, long attempts, long commands) {}
}
