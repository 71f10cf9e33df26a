package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleTest;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** Attempts whose outcome is open, without the reconciliation of the service. */
@Tag("full")
@SampleTest
@TestPropertySource(properties = "trading.reconcile-interval=1h")
class ReconciliationTest {

    private final String owner = "OWNER-" + UUID.randomUUID();
    private final ScriptedExchange exchange = new ScriptedExchange();

    @Autowired
    private OrderAttempts attempts;

    @Autowired
    private OrderIntents intents;

    @Autowired
    private Conclusions conclusions;

    @Autowired
    private JdbcClient jdbc;

    private Reconciliation reconciliation;

    @BeforeEach
    void createReconciliation() {
        TradingSettings settings = new TradingSettings(Duration.ofMinutes(1), 3);
        reconciliation = new Reconciliation(jdbc, attempts, exchange, conclusions, settings);
    }

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

    @Test
    void settleTimeMustEndBeforeTheLookup() {
        OrderAttempt attempt = open("UNKNOWN", Duration.ZERO);
        exchange.finds((identifier) -> {
            // The lookup takes so long that the request arrives and the settle time ends meanwhile.
            changed(attempt, Duration.ofHours(1));
            return Optional.empty();
        });

        reconciliation.runOnce();
        assertThat(current(attempt).status()).isEqualTo(AttemptStatus.UNKNOWN);

        exchange.finds((identifier) -> Optional.of("exchange-1"));
        reconciliation.runOnce();
        assertThat(current(attempt).status()).isEqualTo(AttemptStatus.ACKED);
        assertThat(published("OrderRejected")).isZero();
    }

    @Test
    void lostAnswerDuringTheLookupRestartsTheSettleTime() {
        OrderAttempt attempt = open("UNKNOWN", Duration.ofHours(1));
        exchange.finds((identifier) -> {
            // The sender wakes up, sends the order and loses the answer.
            conclusions.unanswered(attempt, "no answer in time");
            return Optional.empty();
        });

        reconciliation.runOnce();

        assertThat(current(attempt).status()).isEqualTo(AttemptStatus.UNKNOWN);
        assertThat(published("OrderRejected")).isZero();
    }

    @Test
    void requestWithoutStoredAnswerIsLookedUp() {
        OrderAttempt abandoned = open("REQUESTED", Duration.ofMinutes(6));
        OrderAttempt fresh = open("REQUESTED", Duration.ZERO);

        reconciliation.runOnce();

        assertThat(current(abandoned).status()).isEqualTo(AttemptStatus.UNKNOWN);
        assertThat(current(abandoned).reason()).isEqualTo("no answer was stored");
        assertThat(current(fresh).status()).isEqualTo(AttemptStatus.REQUESTED);
    }

    @Test
    void everyUnknownAttemptIsLookedUpOnceInARun() {
        List<OrderAttempt> unknown =
                Stream.generate(() -> open("UNKNOWN", Duration.ZERO)).limit(250).toList();
        jdbc.sql("UPDATE trading.order_attempts SET changed_at = now() WHERE status = 'UNKNOWN'")
                .update();
        List<String> lookups = new ArrayList<>();
        exchange.finds((identifier) -> {
            lookups.add(identifier);
            if (lookups.size() == 1) {
                attempts.lockByIdentifier(identifier)
                        .ifPresent((attempt) -> conclusions.unanswered(attempt, "marked during the run"));
            }
            throw new NoAnswerException("no answer in time");
        });

        reconciliation.runOnce();

        assertThat(lookups)
                .containsAll(unknown.stream().map(OrderAttempt::identifier).toList())
                .doesNotHaveDuplicates();
    }

    @Test
    void outageOfTheExchangeEndsTheRun() {
        open("UNKNOWN", Duration.ZERO);
        open("UNKNOWN", Duration.ZERO);
        List<String> lookups = new ArrayList<>();
        exchange.finds((identifier) -> {
            lookups.add(identifier);
            throw new ExchangeUnreachableException("connection refused");
        });

        reconciliation.runOnce();

        assertThat(lookups).hasSize(1);
    }

    /** Returns an attempt that is not due. */
    private OrderAttempt throttled() {
        OrderAttempt attempt = open("THROTTLED", Duration.ZERO);
        attempts.pause(attempt, Duration.ofHours(1));
        return attempt;
    }

    /** Returns an attempt that no worker executes. */
    private OrderAttempt open(String status, Duration age) {
        UUID intent = new Signals(jdbc, new OrderAttempts(jdbc, new RecordingEventBus()))
                .accept(new Signal(owner, "EXTREME_FLIP", "KRW-TEST", Side.BUY, BigDecimal.ONE));
        jdbc.sql("UPDATE trading.order_attempts SET status = :status WHERE order_intent_id = :intent")
                .param("status", status)
                .param("intent", intent)
                .update();
        OrderAttempt attempt = attempts.ofIntent(intent).get(0);
        changed(attempt, age);
        return attempt;
    }

    private void changed(OrderAttempt attempt, Duration age) {
        jdbc.sql("UPDATE trading.order_attempts SET changed_at = now() - make_interval(secs => :age) WHERE id = :id")
                .param("age", age.toSeconds())
                .param("id", attempt.id())
                .update();
    }

    private OrderAttempt current(OrderAttempt attempt) {
        return attempts.find(attempt.id()).orElseThrow();
    }

    private static void concurrently(Runnable step) {
        Executor ownThreads = (task) -> new Thread(task).start();
        Stream<CompletableFuture<Void>> instances = Stream.generate(() -> CompletableFuture.runAsync(step, ownThreads))
                .limit(8);
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
