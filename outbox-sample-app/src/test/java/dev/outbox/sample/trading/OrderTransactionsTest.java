package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.sample.SampleTest;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** What trading stores in one transaction. No worker executes the attempt. */
@SampleTest
class OrderTransactionsTest {

    private final String market = "KRW-" + UUID.randomUUID();

    @Autowired
    private Signals signals;

    @Autowired
    private Conclusions conclusions;

    @Autowired
    private OrderAttempts attempts;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private JdbcClient jdbc;

    private UUID intent;

    @BeforeEach
    void requestOrder() {
        intent = new Signals(jdbc, new OrderAttempts(jdbc, new RecordingEventBus()))
                .accept(new Signal("OWNER", "EXTREME_FLIP", "KRW-TEST", Side.BUY, BigDecimal.ONE));
        attempts.move(attempt(), AttemptStatus.REQUESTED, null);
    }

    @Test
    void storesSignalIntentAttemptAndCommandAtomically() {
        Signal signal = new Signal("OWNER", "EXTREME_FLIP", market, Side.BUY, BigDecimal.ONE);
        transaction.executeWithoutResult((status) -> {
            signals.accept(signal);
            status.setRollbackOnly();
        });
        assertThat(stored()).isEqualTo(new Stored(0, 0, 0, 0));

        signals.accept(signal);

        assertThat(stored()).isEqualTo(new Stored(1, 1, 1, 1));
    }

    @Test
    void statusAndEventCommitTogether() {
        transaction.executeWithoutResult((status) -> {
            conclusions.acked(attempt(), "exchange-1");
            status.setRollbackOnly();
        });
        assertThat(attempt().status()).isEqualTo(AttemptStatus.REQUESTED);
        assertThat(events()).isEmpty();

        conclusions.acked(attempt(), "exchange-1");

        assertThat(attempt().status()).isEqualTo(AttemptStatus.ACKED);
        assertThat(events()).containsExactly("OrderAccepted");
    }

    @Test
    void noTwoAttemptsShareAnIdentifier() {
        assertThatThrownBy(() -> jdbc.sql("""
                        INSERT INTO trading.order_attempts (id, order_intent_id, attempt_no, identifier)
                        VALUES (gen_random_uuid(), :intent, 2, :identifier)
                        """)
                        .param("intent", intent)
                        .param("identifier", attempt().identifier())
                        .update())
                .isInstanceOf(DuplicateKeyException.class)
                .hasMessageContaining("order_attempts_identifier");
    }

    private OrderAttempt attempt() {
        return attempts.ofIntent(intent).get(0);
    }

    private List<String> events() {
        return jdbc.sql("SELECT event_type FROM events.outbox WHERE aggregate_id = :id ORDER BY id")
                .param("id", intent.toString())
                .query(String.class)
                .list();
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
