package dev.outbox.internal.dispatch;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.BatchHandler;
import dev.outbox.CircuitBreaker;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.HeldTransaction;
import dev.outbox.fixture.LateAnswers;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A batch handler that hands its outcomes in after it has returned, as one that forwards to a broker. */
class LaterOutcomesTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().retry(soon());

    private final LateAnswers late = new LateAnswers();
    private final Map<String, CompletableFuture<Void>> answers = late.open();
    private final List<String> begun = late.begun();
    private final Recorded local = Recorded.all();

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void outcomeHoldsUpItsAggregateOnly(int concurrency) {
        start(forward(), concurrency);
        outbox.publishOrders("slow", "quick");
        await().until(() -> begun.size() == 2);

        answer("quick 1");
        outbox.awaitPublished(1);
        outbox.publishOrders("other");
        await().until(() -> begun.contains("other 1"));
        answer("other 1");
        outbox.awaitPublished(2);
        answer("slow 1");

        outbox.awaitPublished(3);
        assertThat(begun).containsExactlyInAnyOrder("slow 1", "quick 1", "other 1");
        awaitNoClaim();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @Guarantee(
            value = "G4",
            sentence = "An outcome that comes later holds up the other handlers of its aggregate for a moment.")
    void otherHandlersGoOnWithTheAggregate(int concurrency) {
        outbox.handler("local", "*", local);
        start(forward(), concurrency);

        outbox.publishOrders("a", 3);

        await().until(() -> local.handled().size() == 3);
        assertThat(begun).as("one of an aggregate at a time").containsExactly("a 1");
        answer("a 1");
        await().until(() -> begun.contains("a 2"));
        answer("a 2");
        await().until(() -> begun.contains("a 3"));
        answer("a 3");
        outbox.awaitPublished(3);
        assertThat(local.handled()).hasSize(3);
        awaitNoClaim();
    }

    @Test
    void outcomeCausesNoClaim() {
        AtomicInteger claims = new AtomicInteger();
        outbox.onClaim((events) -> claims.incrementAndGet());
        start(forward(), 1, Duration.ofHours(1));
        await().until(() -> claims.get() > 0);
        int before = claims.get();

        for (int order = 1; order <= 20; order++) {
            String aggregate = "a" + order;
            outbox.publishOrders(aggregate);
            await().pollInterval(Duration.ofMillis(1)).until(() -> begun.contains(aggregate + " 1"));
            answer(aggregate + " 1");
            outbox.awaitPublished(order);
        }

        assertThat(claims.get() - before).as("one for each event").isLessThan(30);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void outcomeFreesWhatAClaimHasLeftOut(int concurrency) {
        AtomicInteger claims = new AtomicInteger();
        outbox.onClaim((events) -> claims.incrementAndGet());
        start(forward(), concurrency, Duration.ofHours(1));
        outbox.publishOrders("a");
        await().pollInterval(Duration.ofMillis(1)).until(() -> begun.contains("a 1"));
        int before = claims.get();
        outbox.publishOrders("a");
        await().pollInterval(Duration.ofMillis(1)).until(() -> claims.get() > before);
        answer("a 1");

        await().until(() -> begun.contains("a 2"));
        answer("a 2");
        outbox.awaitPublished(2);
    }

    @Test
    void claimKeepsTheLaneForLongerThanItsLease() {
        TestOutbox other = outbox.another();
        start(forward(), 1);
        outbox.publishOrders("a");
        await().until(() -> outbox.claimedLanes() == 1);
        List<EventEnvelope> elsewhere = new CopyOnWriteArrayList<>();
        other.handler(HandlerDefinition.of("forward", Set.of("*"), elsewhere::add))
                .start();

        await().during(LEASE.plusSeconds(1)).atMost(LEASE.plusSeconds(10)).until(elsewhere::isEmpty);
        answer("a 1");

        outbox.awaitPublished(1);
        assertThat(begun).hasSize(1);
        assertThat(outbox.failures()).isZero();
    }

    @Test
    void failureCountsAndTheEventsBehindItWereNotAttempted() {
        start(forward(), 1);
        outbox.publishTogether(3, 1);
        await().until(() -> begun.size() == 1);

        answers.remove("order-0 1").completeExceptionally(new IllegalStateException("on purpose"));
        await().until(() -> begun.size() == 2);
        assertThat(outbox.lane()).containsExactly("1 OPEN 1", "2 OPEN 0", "3 OPEN 0");
        answer("order-0 1");
        await().until(() -> begun.size() == 3);
        answer("order-0 2");
        await().until(() -> begun.size() == 4);
        answer("order-0 3");

        outbox.awaitPublished(3);
        assertThat(begun).containsExactly("order-0 1", "order-0 1", "order-0 2", "order-0 3");
    }

    @Test
    void redeliveryThatIsAwaitedHoldsUpNoOtherLane() {
        start(forward(), 1);
        outbox.publishOrders("slow", "quick");
        await().until(() -> begun.size() == 2);
        fail("slow 1");
        fail("quick 1");
        await().until(() -> begun.size() == 4);

        answer("quick 1");
        outbox.awaitPublished(1);
        answer("slow 1");
        outbox.awaitPublished(2);
        awaitNoClaim();
    }

    @Test
    void cancelledOutcomeIsNotAttempted() {
        start(forward(), 1);
        outbox.publishOrders("a");
        await().until(() -> begun.size() == 1);

        answers.remove("a 1").completeExceptionally(new CancellationException());
        await().until(() -> begun.size() == 2);
        answer("a 1");

        outbox.awaitPublished(1);
        assertThat(outbox.failures()).isZero();
    }

    @Test
    void outcomeThatDoesNotComeInTimeHasFailed() {
        start(forward().timeout(Duration.ofMillis(300)), 1);
        outbox.publishOrders("a");

        await().until(() -> begun.size() == 2);
        assertThat(outbox.errors()).containsExactly("HANDLER_TIMEOUT the outcome did not come within 300 ms");
        answer("a 1");
        outbox.awaitPublished(1);
    }

    @Test
    void outcomeThatComesWhileTheProcessStopsIsSettled() {
        start(forward(), 1);
        outbox.publishOrders("a");
        await().until(() -> outbox.claimedLanes() == 1);
        CompletableFuture<Void> late = CompletableFuture.runAsync(
                () -> answer("a 1"), CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS));

        outbox.runtime().close();

        late.join();
        assertThat(outbox.published()).isEqualTo(1);
        assertThat(outbox.claims()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void outcomeThatDoesNotComeBeforeTheProcessStopsIsGivenBack(boolean kept) {
        outbox.handler("local", "*", local);
        start(forward(), 1);
        outbox.publishOrders("a");
        await().until(() -> begun.size() == 1 && (!kept || outbox.claimedLanes() == 1));

        outbox.runtime().close();

        assertThat(outbox.lane()).containsExactly("1 OPEN 0");
        assertThat(outbox.claims()).isZero();
        TestOutbox next = outbox.another().retry(soon());
        Recorded again = Recorded.all();
        next.handler(HandlerDefinition.of("forward", Set.of("*"), again)).handler("local", "*", local);
        next.start();
        outbox.awaitPublished(1);
        assertThat(again.handled()).hasSize(1);
        assertThat(local.handled()).as("it had succeeded").hasSize(1);
    }

    @Test
    void outcomeOfALostClaimIsNotAwaited() {
        start(forward(), 1);
        outbox.publishOrders("a");
        await().until(() -> outbox.claimedLanes() == 1);

        outbox.update("UPDATE events.outbox_claim SET locked_until = '-infinity', token = gen_random_uuid()");

        await().until(() -> begun.size() == 2);
        answer("a 1");
        outbox.awaitPublished(1);
        awaitNoClaim();
    }

    @Test
    void failuresOpenTheCircuit() {
        start(forward().circuit(new CircuitBreaker(3, Duration.ofMillis(200))), 1);
        outbox.publishOrders("a", "b", "c");
        await().until(() -> begun.size() == 3);

        List.of("a 1", "b 1", "c 1").forEach(this::fail);

        await().until(() -> outbox.runtime().openCircuits().equals(Set.of("forward")));
        await().until(() -> {
            List.copyOf(answers.keySet()).forEach(this::answer);
            return outbox.published() == 3;
        });
        assertThat(outbox.runtime().openCircuits()).isEmpty();
    }

    @Test
    @Guarantee(
            value = "G4",
            sentence = "A slow handler in the batch of an outcome that comes later does not hold up its aggregate.")
    void slowHandlerOfTheSameBatchDoesNotHoldUpTheAggregate() {
        CountDownLatch slow = new CountDownLatch(1);
        outbox.handler("local", "*", (event) -> {
            if (event.aggregateId().equals("slow")) {
                awaitLatch(slow);
            }
            local.handle(event);
        });
        BatchHandler<EventEnvelope> handler = (payloads, events, outcome, context) ->
                payloads.forEach((event) -> ((LaterOutcomes) outcome).later(event, late.send(event)));
        HandlerDefinition forward = HandlerDefinition.ofBatch("forward", Set.of("*"), null, handler);
        start(forward, 2);
        outbox.inTransaction(() -> outbox.publishOrders("quick", "slow"));
        await().until(() -> begun.contains("quick 1"));

        outbox.publishOrders("quick");

        await().until(() -> local.handled().size() == 2);
        slow.countDown();
        await().until(() -> begun.contains("slow 1"));
        answer("quick 1");
        answer("slow 1");
        await().until(() -> begun.contains("quick 2"));
        answer("quick 2");
        outbox.awaitPublished(3);
        awaitNoClaim();
    }

    @Test
    void outcomeThatIsAddedAfterTheHandlerHasReturnedIsRefused() {
        List<Runnable> late = new CopyOnWriteArrayList<>();
        start(
                HandlerDefinition.ofBatch(
                        "forward",
                        Set.of("*"),
                        null,
                        (payloads, events, outcome, context) -> late.add(
                                () -> ((LaterOutcomes) outcome).later(payloads.get(0), new CompletableFuture<>()))),
                1);
        outbox.publishOrders("a");
        outbox.awaitPublished(1);

        assertThatThrownBy(late.get(0)::run).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void outcomeThatDoesNotComeInTimeIsCancelled() {
        List<CompletableFuture<Void>> stages = new CopyOnWriteArrayList<>();
        BatchHandler<EventEnvelope> handler = (payloads, events, outcome, context) -> {
            stages.add(stages.isEmpty() ? new CompletableFuture<>() : CompletableFuture.completedFuture(null));
            ((LaterOutcomes) outcome).later(payloads.get(0), stages.get(stages.size() - 1));
        };
        start(HandlerDefinition.ofBatch("forward", Set.of("*"), null, handler).timeout(Duration.ofMillis(200)), 1);
        outbox.publishOrders("a");

        outbox.awaitPublished(1);
        await().until(stages.get(0)::isCancelled);
    }

    @Test
    void eventThatHasFailedIsNotAwaited() {
        AtomicInteger calls = new AtomicInteger();
        start(
                HandlerDefinition.ofBatch("forward", Set.of("*"), null, (payloads, events, outcome, context) -> {
                    if (calls.incrementAndGet() == 1) {
                        ((LaterOutcomes) outcome).later(payloads.get(0), new CompletableFuture<>());
                        outcome.failed(payloads.get(0), new IllegalStateException("on purpose"));
                    }
                }),
                1);
        outbox.publishOrders("a");

        outbox.awaitPublished(1);
        assertThat(calls).hasValue(2);
        awaitNoClaim();
    }

    @Test
    void outcomeThatIsKnownAtOnceIsSettled() {
        start(
                HandlerDefinition.ofBatch(
                        "forward",
                        Set.of("*"),
                        null,
                        (payloads, events, outcome, context) -> payloads.forEach((event) ->
                                ((LaterOutcomes) outcome).later(event, CompletableFuture.completedFuture(null)))),
                1);
        outbox.publishTogether(300, 5);

        outbox.awaitPublished(300);
        assertThat(outbox.failures()).isZero();
        awaitNoClaim();
    }

    /** More than may hold up others at a time. */
    @Test
    void manyBatchesAreAwaitedAtOnce() {
        outbox.handler("local", "*", local).handler(forward()).stream(
                        "default", new PollerSettings(Duration.ofMillis(50), 1, 1, LEASE, Duration.ofSeconds(1)))
                .start();
        outbox.publishTogether(60, 60);

        await().atMost(Duration.ofSeconds(5)).until(() -> local.handled().size() == 60);
        await().until(() -> begun.size() == 60);
        List.copyOf(answers.keySet()).forEach(this::answer);
        outbox.awaitPublished(60);
        awaitNoClaim();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lockedEventHoldsUpItsOwnOutcomeOnly(boolean beforeTheLaneIsKept) {
        start(forward(), 1);
        List<EventEnvelope> events = outbox.publishOrders("locked", "free");
        await().until(() -> begun.size() == 2 && (beforeTheLaneIsKept || outbox.claimedLanes() == 2));
        HeldTransaction<Long> other = outbox.hold(() -> outbox.value(
                Long.class,
                "SELECT id FROM events.outbox_unpublished WHERE id = ? FOR UPDATE",
                events.get(0).id()));
        answer("free 1");
        answer("locked 1");

        outbox.awaitPublished(1);
        outbox.publishOrders("next");
        await().until(() -> begun.contains("next 1"));
        answer("next 1");
        outbox.awaitPublished(2);
        other.commit();
        outbox.awaitPublished(3);
        assertThat(begun).hasSize(3);
        awaitNoClaim();
    }

    @Test
    void outcomeThatComesAfterARestartChangesNothing() {
        start(forward(), 1);
        outbox.publishOrders("a", "b");
        await().until(() -> outbox.claimedLanes() == 2);
        CompletableFuture<Void> stale = answers.remove("a 1");
        outbox.runtime().close();
        TestOutbox next = outbox.another().retry(soon());
        next.handler(forward()).start();
        await().until(() -> begun.size() == 4);

        stale.complete(null);
        await().during(Duration.ofMillis(300)).until(() -> outbox.published() == 0);
        answer("a 1");
        answer("b 1");

        outbox.awaitPublished(2);
        awaitNoClaim();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @Guarantee(
            value = "G3",
            sentence = "Outcomes that come later keep the order of their aggregate, through failures and retries.")
    void orderHoldsThroughRandomFailuresAndDelays(int concurrency) {
        Random random = new Random(7);
        Recorded forwarded = Recorded.failing((attempt) -> {
            synchronized (random) {
                return random.nextInt(10) == 0 ? new IllegalStateException("on purpose") : null;
            }
        });
        BatchHandler<EventEnvelope> handler = (payloads, events, outcome, context) -> {
            Map<String, CompletableFuture<Void>> last = new HashMap<>();
            for (EventEnvelope event : payloads) {
                int millis;
                synchronized (random) {
                    millis = random.nextInt(20) == 0 ? 150 : random.nextInt(5);
                }
                CompletableFuture<Void> sent = last.getOrDefault(
                                event.aggregateId(), CompletableFuture.completedFuture(null))
                        .thenRunAsync(
                                () -> handle(forwarded, event),
                                CompletableFuture.delayedExecutor(
                                        millis, TimeUnit.MILLISECONDS, ForkJoinPool.commonPool()));
                last.put(event.aggregateId(), sent);
                ((LaterOutcomes) outcome).later(event, sent);
            }
        };
        outbox.handler("local", "*", local)
                .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO, Duration.ofMillis(5))), 1000));
        start(HandlerDefinition.ofBatch("forward", Set.of("*"), null, handler), concurrency);
        outbox.publishTogether(300, 12);

        outbox.awaitPublished(300);
        assertThat(forwarded.sequences().values())
                .allSatisfy((sequences) -> assertThat(sequences)
                        .containsExactlyElementsOf(
                                LongStream.rangeClosed(1, 25).boxed().toList()));
        assertThat(local.handled()).hasSize(300);
        awaitNoClaim();
    }

    private static void handle(Recorded handler, EventEnvelope event) {
        try {
            handler.handle(event);
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    private HandlerDefinition forward() {
        return late.handler();
    }

    private void answer(String name) {
        late.succeed(name);
    }

    private void fail(String name) {
        late.fail(name, new IllegalStateException("on purpose"));
    }

    private void start(HandlerDefinition handler, int concurrency) {
        start(handler, concurrency, Duration.ofMillis(50));
    }

    private void start(HandlerDefinition handler, int concurrency, Duration interval) {
        outbox.handler(handler).stream(
                        "default", new PollerSettings(interval, 100, concurrency, LEASE, Duration.ofSeconds(1)))
                .start();
    }

    private void awaitNoClaim() {
        await().until(() -> outbox.claims() == 0 && outbox.lanes() == 0);
    }

    private static RetryPolicy soon() {
        return new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO, Duration.ofMillis(1))), 10);
    }
}
