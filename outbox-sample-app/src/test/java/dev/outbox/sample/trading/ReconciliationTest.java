package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleTest;
import java.math.BigDecimal;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Several instances reconcile the same throttled attempt. */
@SampleTest
class ReconciliationTest {

    private final String owner = "OWNER-" + UUID.randomUUID();

    @Autowired
    private OrderAttempts attempts;

    @Autowired
    private OrderIntents intents;

    @Autowired
    private Conclusions conclusions;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void exhaustedIntentIsPublishedOnce() {
        OrderAttempt attempt = throttled();

        concurrently(() -> conclusions.exhausted(attempt));

        assertThat(published("OrderAttemptsExhausted")).isOne();
        assertThat(intents.find(attempt.orderIntentId()).orElseThrow().status()).isEqualTo(IntentStatus.EXHAUSTED);
    }

    @Test
    void nextAttemptIsOpenedOnce() {
        OrderAttempt attempt = throttled();

        concurrently(() -> conclusions.followUp(attempt));

        assertThat(published("CreateOrderAttempt")).isOne();
        assertThat(attempts.ofIntent(attempt.orderIntentId())).hasSize(2);
    }

    @Test
    void everyThrottledAttemptIsFollowedUpOrExhausted() {
        OrderAttempt attempt = throttled();

        conclusions.followUp(attempt);
        conclusions.exhausted(attempt);

        assertThat(published("CreateOrderAttempt")).isOne();
        assertThat(published("OrderAttemptsExhausted")).isZero();
    }

    /** Returns an attempt that the reconciliation of the service does not find due. */
    private OrderAttempt throttled() {
        UUID intent = new Signals(jdbc, new OrderAttempts(jdbc, new RecordingEventBus()))
                .accept(new Signal(owner, "EXTREME_FLIP", "KRW-TEST", Side.BUY, BigDecimal.ONE));
        jdbc.sql("""
                UPDATE trading.order_attempts
                   SET status = 'THROTTLED', retry_at = now() + interval '1 hour'
                 WHERE order_intent_id = :intent
                """).param("intent", intent).update();
        return attempts.ofIntent(intent).get(0);
    }

    private static void concurrently(Runnable step) {
        Stream<CompletableFuture<Void>> instances =
                Stream.generate(() -> CompletableFuture.runAsync(step)).limit(8);
        CompletableFuture.allOf(instances.toArray(CompletableFuture<?>[]::new)).join();
    }

    private long published(String eventType) {
        return jdbc.sql("""
                        SELECT count(*)
                          FROM events.outbox
                         WHERE event_type = :eventType
                           AND headers ->> 'ownerId' = :owner
                        """)
                .param("eventType", eventType)
                .param("owner", owner)
                .query(Long.class)
                .single();
    }
}
