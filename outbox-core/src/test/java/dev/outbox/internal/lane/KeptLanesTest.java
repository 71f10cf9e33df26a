package dev.outbox.internal.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.BatchHandler;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.fixture.LateAnswers;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.LaterOutcomes;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.dispatch.SingleFailures;
import dev.outbox.internal.poll.PollerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What may happen to the lanes of a claim that awaits answers. */
class KeptLanesTest {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration SHORT = Duration.ofMillis(300);

    @RegisterExtension
    private final TestOutbox outbox =
            TestOutbox.create().retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 10));

    private final LateAnswers late = new LateAnswers();
    private final AtomicInteger lostLeases = new AtomicInteger();

    @Test
    void crashCountsInEachLane() {
        start(late.handler(), 1);
        outbox.publishOrders("a", "b", "c");
        outbox.publishOrders("a", 1);
        await().until(() -> outbox.claimedLanes() == 3 && outbox.deliveries() == 4);

        expire();

        await().until(() -> late.begun().size() == 6);
        assertThat(crashes()).containsExactly(1, 1, 1);
        assertThat(outbox.values(
                        String.class,
                        "SELECT aggregate_id || aggregate_seq || ' ' || attempt_count || ' ' || (failures -> -1 ->> 'code')"
                                + " FROM events.outbox_delivery WHERE attempt_count > 0 ORDER BY 1"))
                .containsExactly("a1 1 LEASE_EXPIRED", "b1 1 LEASE_EXPIRED", "c1 1 LEASE_EXPIRED");
        List.of("a 1", "b 1", "c 1").forEach(late::succeed);
        await().until(() -> late.begun().size() == 7);
        late.succeed("a 2");
        awaitDone(4);
    }

    @Test
    void suspectsAreAwaitedOneAtATime() {
        start(late.handler(), 1);
        outbox.publishOrders("a", "b", "c");
        await().until(() -> outbox.claimedLanes() == 3);
        expire();
        await().until(() -> late.begun().size() == 6 && outbox.claimedLanes() == 3);
        expire();
        await().until(() -> late.begun().size() == 7);
        outbox.publishOrders("healthy");

        await().until(() -> late.begun().size() == 8);
        await().during(SHORT).until(() -> late.begun().size() == 8);
        assertThat(late.begun().get(7)).isEqualTo("healthy 1");
        late.succeed("healthy 1");
        outbox.awaitPublished(1);
        for (int suspect = 0; suspect < 3; suspect++) {
            int begun = 8 + suspect;
            await().until(() -> late.begun().size() == begun);
            late.succeed(late.begun().get(suspect == 0 ? 6 : begun - 1));
        }
        awaitDone(4);
    }

    @Test
    void answerOutlivesTheConnections() {
        start(late.handler(), 1);
        outbox.publishOrders("a", "b");
        await().until(() -> outbox.claimedLanes() == 2);

        breakConnections();
        late.succeed("a 1");
        late.fail("b 1", new IllegalStateException("on purpose"));

        outbox.awaitPublished(1);
        await().until(() -> late.begun().size() == 3);
        late.succeed("b 1");
        awaitDone(2);
        assertThat(outbox.failures()).isEqualTo(1);
        assertThat(lostLeases).hasValue(0);
    }

    /** A settlement whose answer is lost may have been written, and is repeated. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void answersAreSettledThroughBrokenConnections(int concurrency) {
        Recorded forwarded = Recorded.all();
        BatchHandler<EventEnvelope> handler = (payloads, events, outcome, context) -> {
            Map<String, CompletableFuture<Void>> last = new HashMap<>();
            for (EventEnvelope event : payloads) {
                CompletableFuture<Void> sent = last.getOrDefault(
                                event.aggregateId(), CompletableFuture.completedFuture(null))
                        .thenRunAsync(
                                () -> forward(forwarded, event),
                                CompletableFuture.delayedExecutor(50 + event.id() % 100, TimeUnit.MILLISECONDS));
                last.put(event.aggregateId(), sent);
                ((LaterOutcomes) outcome).later(event, sent);
            }
        };
        start(HandlerDefinition.ofBatch("forward", Set.of("*"), null, handler), concurrency);
        outbox.publishTogether(60, 12);

        AtomicInteger breaks = new AtomicInteger();
        await().pollInterval(Duration.ofMillis(150)).until(() -> {
            breakConnections();
            return breaks.incrementAndGet() == 10;
        });

        awaitDone(60);
        assertThat(forwarded.sequences().values())
                .hasSize(12)
                .allSatisfy((sequences) -> assertThat(sequences.stream().distinct())
                        .as("each first attempt, in order")
                        .containsExactly(1L, 2L, 3L, 4L, 5L));
        assertThat(outbox.failures()).isZero();
    }

    @Test
    void answerAfterACrashOfTheDatabaseChangesNothing() {
        start(late.handler(), 1);
        outbox.publishOrders("a");
        await().until(() -> outbox.claimedLanes() == 1);
        CompletableFuture<Void> stale = late.open().get("a 1");

        outbox.update("DELETE FROM events.outbox_incarnation");

        await().atMost(Duration.ofSeconds(30)).until(() -> late.begun().size() == 2);
        stale.complete(null);
        await().during(SHORT).until(() -> outbox.published() == 0);
        late.succeed("a 1");
        awaitDone(1);
        assertThat(outbox.failures()).isZero();
    }

    @Test
    void answerAfterAnotherInstanceHasDeliveredChangesNothing() {
        Recorded elsewhere = Recorded.all();
        start(late.handler(), 1);
        outbox.publishOrders("a");
        await().until(() -> outbox.claimedLanes() == 1);
        CompletableFuture<Void> stale = late.open().get("a 1");
        outbox.another()
                .handler(HandlerDefinition.of("forward", Set.of("*"), elsewhere))
                .start();
        expire();
        await().until(() -> !elsewhere.handled().isEmpty() || late.begun().size() == 2);

        stale.completeExceptionally(new IllegalStateException("on purpose"));
        if (elsewhere.handled().isEmpty()) {
            late.succeed("a 1");
        }

        awaitDone(1);
        await().during(SHORT).until(() -> outbox.published() == 1 && outbox.unpublished() == 0);
        assertThat(outbox.failures()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void stageThatCannotBeCancelledEndsAtItsTimeout(boolean refuses) {
        List<CompletableFuture<Void>> answers = Collections.synchronizedList(new ArrayList<>());
        BatchHandler<EventEnvelope> handler = (payloads, events, outcome, context) -> payloads.forEach((event) -> {
            CompletableFuture<Void> answer = refuses ? new Uncancellable() : new CompletableFuture<>();
            answers.add(answer);
            CompletionStage<Void> stage = refuses ? answer : answer.minimalCompletionStage();
            ((LaterOutcomes) outcome).later(event, stage);
        });
        start(HandlerDefinition.ofBatch("forward", Set.of("*"), null, handler).timeout(Duration.ofSeconds(3)), 1);
        outbox.inTransaction(() -> outbox.publishOrders("a", "b"));

        await().until(() -> answers.size() == 4);
        answers.get(0).complete(null);
        answers.get(1).completeExceptionally(new IllegalStateException("on purpose"));
        await().during(Duration.ofMillis(50)).until(() -> outbox.published() == 0);
        assertThat(outbox.errors())
                .containsOnly("HANDLER_TIMEOUT the outcome did not come within 3 s")
                .hasSize(2);
        answers.get(2).complete(null);
        answers.get(3).complete(null);
        awaitDone(2);
        assertThat(outbox.failures()).isEqualTo(2);
    }

    /** A stage may refuse to be a future. */
    private static final class Uncancellable extends CompletableFuture<Void> {

        @Override
        public CompletableFuture<Void> toCompletableFuture() {
            throw new UnsupportedOperationException("on purpose");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void oneAnswerOfAHundredNeverComes(int concurrency) {
        start(late.handler(), concurrency);
        outbox.publishTogether(100, 100);
        await().until(() -> late.begun().size() == 100 && outbox.claimedLanes() == 100);
        List<String> names = new ArrayList<>(late.open().keySet());
        Collections.sort(names);
        Collections.shuffle(names, new Random(7));

        CompletableFuture<Void> twice = late.open().get(names.get(1));
        late.fail(names.get(2), new StackOverflowError("on purpose"));
        late.fail(names.get(3), new NoClassDefFoundError("on purpose"));
        names.stream().skip(4).parallel().forEach(late::succeed);
        late.succeed(names.get(1));
        assertThat(twice.completeExceptionally(new IllegalStateException("too late")))
                .isFalse();

        outbox.awaitPublished(97);
        await().until(() -> late.begun().size() == 102);
        assertThat(outbox.failures()).isEqualTo(2);
        names.subList(2, 4).forEach(late::succeed);
        outbox.awaitPublished(99);
        await().until(() -> outbox.claims() == 1 && outbox.claimedLanes() == 1);
        outbox.runtime().close();
        assertThat(outbox.claims()).isZero();
        assertThat(outbox.failures()).isEqualTo(2);
        assertThat(outbox.deliveries()).isEqualTo(1);
    }

    @Test
    void answerWithAnUnreadableExceptionIsAFailure() {
        BatchHandler<EventEnvelope> handler = (payloads, events, outcome, context) ->
                payloads.forEach((event) -> ((LaterOutcomes) outcome).later(event, late.send(event)));
        start(HandlerDefinition.ofBatch("forward", Set.of("*"), null, handler), 1);
        outbox.publishOrders("a");
        await().until(() -> outbox.claimedLanes() == 1);

        late.fail("a 1", new Unspeakable());

        await().until(() -> late.begun().size() == 2);
        assertThat(outbox.failures()).isEqualTo(1);
        late.succeed("a 1");
        awaitDone(1);
    }

    /** Cannot even tell what it is. */
    private static final class Unspeakable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("on purpose");
        }
    }

    /** The claim ends, and gives lanes to the loop of redeliveries, after 100 ms. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void answersMayComeWhileTheClaimEnds(int concurrency) {
        Random random = new Random(7);
        Recorded forwarded = Recorded.failing((attempt) -> {
            synchronized (random) {
                return random.nextInt(6) == 0 ? new IllegalStateException("on purpose") : null;
            }
        });
        BatchHandler<EventEnvelope> handler = (payloads, events, outcome, context) -> {
            Map<String, CompletableFuture<Void>> last = new HashMap<>();
            for (EventEnvelope event : payloads) {
                long micros;
                synchronized (random) {
                    micros = 95_000 + random.nextInt(20_000);
                }
                boolean first = !last.containsKey(event.aggregateId());
                CompletableFuture<Void> sent = last.getOrDefault(
                                event.aggregateId(), CompletableFuture.completedFuture(null))
                        .thenRunAsync(
                                () -> forward(forwarded, event),
                                CompletableFuture.delayedExecutor(first ? micros : 0, TimeUnit.MICROSECONDS));
                last.put(event.aggregateId(), sent);
                ((LaterOutcomes) outcome).later(event, sent);
            }
        };
        start(HandlerDefinition.ofBatch("forward", Set.of("*"), null, handler), concurrency);

        for (int round = 1; round <= 8; round++) {
            outbox.publishTogether(60, 15);
            outbox.awaitPublished(60L * round);
        }

        assertThat(forwarded.sequences().values())
                .hasSize(15)
                .allSatisfy((sequences) -> assertThat(sequences)
                        .containsExactlyElementsOf(
                                LongStream.rangeClosed(1, 32).boxed().toList()));
        awaitDone(480);
        assertThat(lostLeases).hasValue(0);
    }

    @Test
    void deduplicatingHandlerMustKnowItsOutcomesWhenItReturns() {
        HandlerDefinition handler = SingleFailures.markedOn(late.handler()).deduplicating();

        assertThatThrownBy(() -> start(handler, 1))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining(
                        "handler 'forward' has deduplicate = true, but its outcomes may come after it has returned")
                .hasMessageContaining("remove deduplicate");
    }

    private static void forward(Recorded handler, EventEnvelope event) {
        try {
            handler.handle(event);
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    private void start(HandlerDefinition handler, int concurrency) {
        outbox.onLostLease(lostLeases::incrementAndGet).handler(handler).stream(
                        "default",
                        new PollerSettings(Duration.ofMillis(50), 100, concurrency, LEASE, Duration.ofSeconds(1)))
                .start();
    }

    private List<Integer> crashes() {
        return outbox.values(
                Integer.class, "SELECT crash_count FROM events.outbox_lane ORDER BY aggregate_id, handler_id");
    }

    /** Lets the claims expire, as if their worker had crashed. */
    private void expire() {
        outbox.update("UPDATE events.outbox_claim SET locked_until = '-infinity', token = gen_random_uuid()");
    }

    private void breakConnections() {
        outbox.sql()
                .sql(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
                .query(Boolean.class)
                .list();
    }

    private void awaitDone(long published) {
        outbox.awaitPublished(published);
        await().until(() -> outbox.claims() == 0 && outbox.lanes() == 0 && outbox.deliveries() == 0);
    }
}
