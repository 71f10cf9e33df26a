package dev.outbox.kafka.internal.forwarder;

import static dev.outbox.kafka.internal.forwarder.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.forwarding.internal.ForwardingHandler;
import dev.outbox.forwarding.internal.RouteFaults;
import dev.outbox.forwarding.internal.Sender;
import dev.outbox.internal.dispatch.LaterOutcomes;
import dev.outbox.kafka.KafkaRecordMapper;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class ForwardingHandlerTest {

    private static final KafkaRecordMapper UNCHANGED = (event, proposed) -> proposed;

    private final ScriptedProducer producer = new ScriptedProducer();
    private final Map<String, Throwable> failed = new ConcurrentHashMap<>();
    private final ExecutorService executor = Executors.newSingleThreadExecutor();

    private final AtomicLong nanos = new AtomicLong();
    private final RouteFaults faults = new RouteFaults("Kafka", nanos::get);

    private final Sender<ProducerRecord<Object, Object>> sender = new Sender<>(
            new KafkaTarget(new SharedProducer(() -> producer, producer::close)), Duration.ofMinutes(1), nanos::get);
    private final Map<KafkaRecordMapper, ForwardingHandler<?>> handlers = new HashMap<>();

    private volatile boolean leaseLost;
    private volatile Runnable precondition = () -> {};

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    @Test
    void sendsNextEventOfAggregateAfterAcknowledgement() throws Exception {
        Future<?> handling = start(UNCHANGED, "a1", "a2", "b1", "c1", "a3", "b2");
        await().until(() -> producer.inFlight() == 3);
        finish(handling);

        assertThat(producer.sent()).containsExactly("a1", "b1", "c1", "a2", "b2", "a3");
        assertThat(producer.overtaking()).isEmpty();
        assertThat(producer.largestWave()).isEqualTo(3);
        assertThat(failed).isEmpty();
    }

    @Test
    void leavesOutLaterEventsOfFailedAggregate() throws Exception {
        producer.failing("a1", new RecordTooLargeException("The request included a message larger than the max"));

        finish(start(UNCHANGED, "a1", "a2", "a3", "b1", "b2"));

        assertThat(producer.sent()).containsExactly("a1", "b1", "b2");
        assertThat(failed).containsOnlyKeys("a1");
        assertThat(failed.get("a1"))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("The request included a message larger than the max");
    }

    @Test
    void leavesOutLaterEventsAfterLaterFailure() throws Exception {
        producer.failing("a2", new RecordTooLargeException("too large"));

        finish(start(UNCHANGED, "a1", "a2", "a3", "b1"));

        assertThat(producer.sent()).containsExactlyInAnyOrder("a1", "b1", "a2");
        assertThat(failed).containsOnlyKeys("a2");
    }

    @Test
    void sendsNothingWhileTheTopicIsPaused() throws Exception {
        producer.failing("a1", new TimeoutException("Expiring 1 record(s) for orders-0"));
        finish(start(UNCHANGED, "b1", "a1"));

        finish(start(UNCHANGED, "b2", "b3", "c1"));

        assertThat(producer.sent()).containsExactly("b1", "a1");
        assertThat(failed).containsOnlyKeys("a1", "b2", "c1");
        assertThat(failed.values())
                .allSatisfy((cause) -> assertThat(cause)
                        .isInstanceOfSatisfying(
                                RetryAfterException.class,
                                (ex) -> assertThat(ex.delay()).hasSeconds(5)));
    }

    @Test
    void faultIsReportedOnceAndEndsWithSuccess(CapturedOutput output) throws Exception {
        producer.failing("a1", new TopicAuthorizationException(Set.of("orders")));
        finish(start(UNCHANGED, "b1", "a1"));
        finish(start(UNCHANGED, "a1"));

        assertThat(faults.failing())
                .hasEntrySatisfying(
                        "orders", (why) -> assertThat(why).contains("Not authorized to access topics: [orders]"));
        assertThat(output).containsOnlyOnce("Route orders cannot send to Kafka").doesNotContain("sends to Kafka again");

        producer.failing("a1", null);
        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        await().until(() -> {
            finish(start(UNCHANGED, "a1"));
            return faults.failing().isEmpty();
        });

        assertThat(output).containsOnlyOnce("Route orders sends to Kafka again");
    }

    @Test
    void beginsNothingWhenLeaseIsLost() throws Exception {
        Future<?> handling = start(UNCHANGED, "a1", "a2", "a3", "b1", "c1", "c2");
        await().until(() -> producer.inFlight() == 3);
        leaseLost = true;
        finish(handling);

        assertThat(producer.sent()).containsExactly("a1", "b1", "c1");
        assertThat(failed).containsOnlyKeys("a2", "c2");
        assertThat(failed.values()).allMatch(CancellationException.class::isInstance);
    }

    @Test
    void failsOnlyTheEventWhoseMapperFails() throws Exception {
        IllegalStateException broken = new IllegalStateException("no schema");
        KafkaRecordMapper mapper = (event, proposed) -> {
            if (event.aggregateId().equals("a")) {
                throw broken;
            }
            return proposed;
        };

        finish(start(mapper, "a1", "a2", "b1"));

        assertThat(producer.sent()).containsExactly("b1");
        assertThat(failed).containsOnlyKeys("a1").containsValue(broken);
    }

    @Test
    void refusesValueOfWrongClass() throws Exception {
        KafkaRecordMapper mapper = (event, proposed) -> event.aggregateId().equals("a")
                ? new ProducerRecord<>(proposed.topic(), proposed.key(), "text")
                : proposed;

        finish(start(mapper, "a1", "b1"));

        assertThat(producer.sent()).containsExactly("b1");
        assertThat(failed.get("a1")).isInstanceOf(NonRetryableException.class).hasMessageContaining("String");
    }

    @Test
    void failsEventWithoutRecord() throws Exception {
        finish(start((event, proposed) -> null, "a1"));

        assertThat(failed.get("a1")).hasMessageContaining("KafkaRecordMapper returned no record");
    }

    @Test
    void sendsNothingBeforeTheSourceIsKnown() {
        precondition = () -> {
            throw new IllegalStateException("the database does not answer");
        };

        assertThatThrownBy(() -> finish(start(UNCHANGED, "a1", "b1")))
                .hasCauseInstanceOf(RetryAfterException.class)
                .hasMessageContaining("the database does not answer");
        assertThat(producer.sent()).isEmpty();
        assertThat(faults.failing()).isNotEmpty();
    }

    private Future<?> start(KafkaRecordMapper mapper, String... events) {
        return start(mapper, Stream.of(events).map(TestEvents::event).toList());
    }

    private Future<?> start(KafkaRecordMapper mapper, List<EventEnvelope> events) {
        ForwardingHandler<?> handler = handlers.computeIfAbsent(
                mapper,
                (with) -> new ForwardingHandler<>(
                        "orders",
                        new RecordFactory("/shop", TestEvents.orders(), with, Clock.systemUTC()),
                        sender,
                        faults,
                        () -> precondition.run(),
                        nanos::get));
        Outcomes outcomes = new Outcomes();
        return CompletableFuture.runAsync(() -> handler.handle(events, events, outcomes, new Context()), executor)
                .thenCompose((handled) ->
                        CompletableFuture.allOf(outcomes.lanes.values().toArray(CompletableFuture[]::new)));
    }

    /** Outcomes by aggregate, each until its first failure. */
    private final class Outcomes implements LaterOutcomes {

        private final Map<String, CompletableFuture<Boolean>> lanes = new HashMap<>();

        @Override
        public void later(Object event, CompletionStage<?> outcome) {
            EventEnvelope envelope = (EventEnvelope) event;
            lanes.put(
                    envelope.aggregateId(),
                    lanes.getOrDefault(envelope.aggregateId(), CompletableFuture.completedFuture(true))
                            .thenCompose((works) ->
                                    works ? ended(envelope, outcome) : CompletableFuture.completedFuture(false)));
        }

        private CompletableFuture<Boolean> ended(EventEnvelope event, CompletionStage<?> outcome) {
            return outcome.toCompletableFuture().handle((handled, cause) -> {
                if (cause != null) {
                    failed(event, cause);
                }
                return cause == null;
            });
        }

        @Override
        public void failed(Object event, Throwable cause) {
            EventEnvelope envelope = (EventEnvelope) event;
            failed.put(envelope.aggregateId() + envelope.sequence(), cause);
        }

        @Override
        public boolean isOver() {
            return leaseLost;
        }
    }

    private void finish(Future<?> handling) throws Exception {
        producer.completeUntilDone(handling);
        handling.get(1, TimeUnit.SECONDS);
    }

    private final class Context implements EventContext {

        @Override
        public int attempt() {
            return 1;
        }

        @Override
        public boolean isLeaseLost() {
            return leaseLost;
        }
    }
}
