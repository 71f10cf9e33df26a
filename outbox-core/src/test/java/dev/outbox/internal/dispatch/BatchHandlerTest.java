package dev.outbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.outbox.BatchHandler;
import dev.outbox.CircuitBreaker;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxEvent;
import dev.outbox.RetryAfterException;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

class BatchHandlerTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final RetryPolicy SOON =
            new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO, Duration.ofMillis(1))), 3);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().retry(SOON);

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(FailureLog.class);

    private final List<List<EventEnvelope>> batches = new CopyOnWriteArrayList<>();
    private final List<EventEnvelope> handled = new CopyOnWriteArrayList<>();

    @Test
    void logContextNamesTheEvents() {
        List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();
        outbox
                .handler(HandlerDefinition.ofBatch(
                        "index",
                        Set.of("*"),
                        null,
                        (payloads, events, outcome, context) -> contexts.add(MDC.getCopyOfContextMap())))
                .stream("default", claiming(100, 1));
        MDC.put("traceId", "trace-1");
        List<EventEnvelope> events = outbox.publishTogether(2, 2);
        MDC.remove("traceId");

        outbox.start();
        outbox.awaitPublished(2);
        assertThat(contexts)
                .containsExactly(Map.of(
                        "traceId", "trace-1",
                        "eventId", ids(events).get(0) + "," + ids(events).get(1),
                        "stream", "default",
                        "eventType", "OrderPlaced",
                        "aggregateType", "order",
                        "aggregateId", "order-0,order-1",
                        "handlerId", "index",
                        "events", "2"));
    }

    @Test
    void handlerGetsTheEventsOfManyAggregatesInBatchesOfItsSize() {
        outbox.handler(batch("index", allSucceed()).batchSize(25)).stream("default", claiming(100, 1));
        List<EventEnvelope> events = outbox.publishTogether(60, 20);

        outbox.start();

        outbox.awaitPublished(60);
        assertThat(batches).extracting(List::size).containsExactly(25, 25, 10);
        assertThat(handled).extracting(EventEnvelope::eventId).containsExactlyElementsOf(ids(events));
    }

    /** Payload whose class fails in a way that Jackson does not wrap. */
    record Fragile(int number) {

        Fragile {
            if (number == 1) {
                throw new LinkageError("on purpose");
            }
        }
    }

    @Test
    void payloadsAreDecodedAndUnreadableOnesAreDeadLettersOfTheirOwn() {
        List<Integer> numbers = new CopyOnWriteArrayList<>();
        outbox
                .handler(HandlerDefinition.ofBatch(
                        "index", Set.of(), Fragile.class, (payloads, events, outcome, context) -> {
                            assertThat(payloads).hasSameSizeAs(events);
                            payloads.forEach((payload) -> numbers.add(payload.number()));
                        }))
                .stream("default", claiming(100, 1));
        for (Object number : List.of(0, 1, 2, "many")) {
            outbox.publish(OutboxEvent.of("order", "" + number, Map.of("number", number))
                    .withEventType("Fragile"));
        }

        outbox.start();

        await().until(() -> dead() == 2);
        outbox.awaitPublished(2);
        assertThat(numbers).containsExactly(0, 2);
    }

    enum Size {
        SMALL
    }

    @Test
    void failureOfASharedPayloadFailsAllItsEvents() {
        List<String> aggregates = new CopyOnWriteArrayList<>();
        AtomicBoolean once = new AtomicBoolean(true);
        outbox.handler(HandlerDefinition.ofBatch(
                "index", Set.of(), Size.class, (payloads, events, outcome, context) -> {
                    if (once.getAndSet(false)) {
                        outcome.failed(payloads.get(1), new IllegalStateException("on purpose"));
                    } else {
                        events.stream().map(EventEnvelope::aggregateId).forEach(aggregates::add);
                    }
                }));
        outbox.publish("order-1", Size.SMALL);
        outbox.publish("order-2", Size.SMALL);

        outbox.start();

        outbox.awaitPublished(2);
        assertThat(aggregates).containsExactlyInAnyOrder("order-1", "order-2");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void failedEventHoldsUpItsAggregateOnly(int concurrency) {
        AtomicBoolean once = new AtomicBoolean(true);
        outbox
                .handler(batch(
                        "index",
                        (event, attempt) ->
                                event.aggregateId().equals("order-1") && event.sequence() == 2 && once.getAndSet(false)
                                        ? new IllegalStateException("on purpose")
                                        : null))
                .stream("default", claiming(100, concurrency));
        outbox.publishTogether(30, 3);

        outbox.start();
        outbox.awaitPublished(30);
        assertThat(sequencesOf("order-1")).isEqualTo(range(1, 10));
        assertThat(sequencesOf("order-0")).isEqualTo(range(1, 10));
        assertThat(outbox.failures()).isEqualTo(1);
    }

    @Test
    void eventThatMakesTheHandlerThrowDiesAlone() {
        Predicate<EventEnvelope> poison = (event) -> event.aggregateId().equals("order-7");
        outbox
                .handler(HandlerDefinition.ofBatch("index", Set.of("*"), null, (payloads, events, outcome, context) -> {
                    batches.add(events);
                    if (events.stream().anyMatch(poison)) {
                        throw new NonRetryableException("on purpose");
                    }
                    handled.addAll(events);
                }))
                .stream("default", claiming(100, 1));
        outbox.publishTogether(20, 20);

        outbox.start();
        outbox.awaitPublished(19);
        await().until(() -> dead() == 1);
        assertThat(handled).noneMatch(poison).hasSize(19);
        assertThat(batches.get(0)).hasSize(20);
    }

    @ParameterizedTest
    @CsvSource({"1, false", "3, false", "1, true"})
    void eventWithOneAttemptComesAlone(int concurrency, boolean deferred) {
        Predicate<EventEnvelope> poison = (event) -> event.aggregateId().equals("order-1");
        Set<UUID> seen = ConcurrentHashMap.newKeySet();
        outbox
                .handler(HandlerDefinition.ofBatch("index", Set.of("*"), null, (payloads, events, outcome, context) -> {
                            if (deferred && seen.add(events.get(0).eventId())) {
                                throw RetryAfterException.uncounted(Duration.ZERO, "not yet", null);
                            }
                            batches.add(events);
                            if (events.stream().anyMatch(poison)) {
                                throw new IllegalStateException("on purpose");
                            }
                            handled.addAll(events);
                        })
                        .maxAttempts(1))
                .stream("default", claiming(100, concurrency));
        outbox.publishTogether(6, 3);

        outbox.start();
        outbox.awaitPublished(4);
        await().until(() -> dead() == 2);
        assertThat(batches).hasSize(6).allSatisfy((batch) -> assertThat(batch).hasSize(1));
        assertThat(handled).hasSize(4).noneMatch(poison);
        assertThat(sequencesOf("order-0")).isEqualTo(range(1, 2));
    }

    @Test
    void handlerThatReportsEachFailureGetsBatchesWithOneAttempt() {
        Predicate<EventEnvelope> refused = (event) -> event.aggregateId().equals("order-7");
        outbox
                .handler(SingleFailures.markedOn(batch(
                                "index",
                                (event, attempt) ->
                                        refused.test(event) ? new IllegalStateException("on purpose") : null)
                        .maxAttempts(1)))
                .stream("default", claiming(100, 1));
        outbox.publishTogether(20, 20);

        outbox.start();
        outbox.awaitPublished(19);
        await().until(() -> dead() == 1);
        assertThat(batches).extracting(List::size).containsExactly(20);
        assertThat(handled).noneMatch(refused).hasSize(19);
        assertThat(outbox.failures()).isEqualTo(1);
    }

    @Test
    void circuitOpensWhenAllAggregatesFailAndItsEventsAreHandledLater() {
        AtomicBoolean down = new AtomicBoolean(true);
        outbox
                .handler(batch("index", (event, attempt) -> down.get() ? new IllegalStateException("down") : null)
                        .circuit(new CircuitBreaker(5, Duration.ofMillis(200))))
                .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ofMillis(50))), 1000))
                .stream("default", claiming(10, 1));
        outbox.publishTogether(40, 20);

        outbox.start();
        await().until(() -> outbox.runtime().openCircuits().equals(Set.of("index")));
        down.set(false);
        outbox.awaitPublished(40);
        IntStream.range(0, 20)
                .forEach((order) -> assertThat(sequencesOf("order-" + order)).isEqualTo(range(1, 2)));
        assertThat(outbox.runtime().openCircuits()).isEmpty();
    }

    @Test
    void eventsThatHandlerLetsWaitDoNotOpenItsCircuit() {
        log.from(Level.WARN);
        outbox
                .handler(batch(
                                "index",
                                (event, attempt) -> RetryAfterException.uncounted(
                                        Duration.ofMinutes(1), "a part is away", Causes.selfReported()))
                        .circuit(new CircuitBreaker(5, Duration.ofMinutes(1))))
                .stream("default", claiming(10, 1));
        outbox.publishTogether(20, 20);

        outbox.start();
        await().until(() -> outbox.count("events.outbox_delivery WHERE attempt_count = 1") == 20);
        assertThat(outbox.runtime().openCircuits()).isEmpty();
        assertThat(log.messages()).as("the handler reports the reason").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void outageThatHandlerReportsOpensItsCircuitWithoutALogLine(boolean thrown) {
        log.from(Level.WARN);
        RuntimeException outage = RetryAfterException.uncounted(
                Duration.ofMinutes(1), "away", Causes.selfReportedOutage(new IllegalStateException("refused")));
        Failing failing = (event, attempt) -> {
            if (thrown) {
                throw outage;
            }
            return outage;
        };
        outbox.handler(batch("index", failing).circuit(new CircuitBreaker(5, Duration.ofMillis(50)))).stream(
                "default", claiming(2, 1));
        outbox.publishTogether(20, 20);

        outbox.start();
        await().until(() -> outbox.runtime().openCircuits().equals(Set.of("index")));
        outbox.close();
        assertThat(log.messages()).as("the handler reports the reason").isEmpty();
    }

    @Test
    void handlersOfSingleEventsAndOfBatchesShareEventsAndFailApart() {
        List<Long> single = new CopyOnWriteArrayList<>();
        AtomicBoolean once = new AtomicBoolean(true);
        outbox
                .handler("mail", "*", (event) -> {
                    if (event.sequence() == 3 && once.getAndSet(false)) {
                        throw new IllegalStateException("on purpose");
                    }
                    single.add(event.sequence());
                })
                .handler(batch("index", allSucceed()))
                .stream("default", claiming(100, 1));
        outbox.publishTogether(6, 1);

        outbox.start();
        outbox.awaitPublished(6);
        assertThat(single).isEqualTo(range(1, 6));
        assertThat(sequencesOf("order-0")).isEqualTo(range(1, 6));
    }

    @Test
    @Guarantee(
            value = "G3",
            sentence = "A batch handler gets the events of each aggregate in order, through failures and retries.")
    void orderHoldsThroughRandomFailures() {
        Random random = new Random(7);
        outbox
                .handler(batch("index", (event, attempt) -> {
                            synchronized (random) {
                                return random.nextInt(10) == 0 ? new IllegalStateException("on purpose") : null;
                            }
                        })
                        .batchSize(7))
                .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO, Duration.ofMillis(5))), 1000))
                .stream("default", claiming(20, 2));
        outbox.publishTogether(300, 12);

        outbox.start();
        outbox.awaitPublished(300);
        IntStream.range(0, 12)
                .forEach((order) -> assertThat(sequencesOf("order-" + order)).isEqualTo(range(1, 25)));
    }

    @Test
    void eventsOfOtherAggregateTypesAreNoDeliveriesOfTheHandler() {
        outbox
                .handler(batch("index", (event, attempt) -> new NonRetryableException("on purpose"))
                        .ofAggregateTypes("customer"))
                .stream("default", claiming(100, 1));
        outbox.publishTogether(9, 3);

        outbox.start();
        outbox.awaitPublished(9);
        assertThat(batches).isEmpty();
    }

    @Test
    void eventOfAnotherBatchIsRefused() {
        EventEnvelope stranger = outbox.publishTogether(1, 1).get(0);
        List<Throwable> refused = new CopyOnWriteArrayList<>();
        outbox.handler(HandlerDefinition.ofBatch("index", Set.of("*"), null, (payloads, events, outcome, context) -> {
                    try {
                        outcome.failed(stranger, new IllegalStateException("on purpose"));
                    } catch (IllegalArgumentException ex) {
                        refused.add(ex);
                    }
                }))
                .start();
        outbox.awaitPublished(1);
        assertThat(refused).singleElement().matches((ex) -> ex.getMessage().contains("the same instance"));
    }

    private interface Failing {
        Throwable of(EventEnvelope event, int attempt);
    }

    private static Failing allSucceed() {
        return (event, attempt) -> null;
    }

    /** Handles the events one by one, and none behind one of its aggregate that has failed. */
    private HandlerDefinition batch(String id, Failing failing) {
        BatchHandler<EventEnvelope> handler = (payloads, events, outcome, context) -> {
            batches.add(events);
            Map<String, Boolean> failed = new HashMap<>();
            for (EventEnvelope event : payloads) {
                Throwable failure = failed.containsKey(event.aggregateId()) ? null : failing.of(event, 1);
                if (failure != null) {
                    outcome.failed(event, failure);
                    failed.put(event.aggregateId(), true);
                } else if (!failed.containsKey(event.aggregateId())) {
                    handled.add(event);
                }
            }
        };
        return HandlerDefinition.ofBatch(id, Set.of("*"), null, handler);
    }

    private static PollerSettings claiming(int batchSize, int concurrency) {
        return new PollerSettings(Duration.ofMillis(50), batchSize, concurrency, LEASE, STOP);
    }

    private long dead() {
        return outbox.count("events.outbox_delivery WHERE status <> 'OPEN'");
    }

    private List<Long> sequencesOf(String aggregateId) {
        return handled.stream()
                .filter((event) -> event.aggregateId().equals(aggregateId))
                .map(EventEnvelope::sequence)
                .toList();
    }

    private static List<Long> range(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }

    private static List<UUID> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).toList();
    }
}
