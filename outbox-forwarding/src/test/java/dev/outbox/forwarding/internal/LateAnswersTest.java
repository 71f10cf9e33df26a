package dev.outbox.forwarding.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.RetryAfterException;
import dev.outbox.internal.failure.Causes;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A broker that answers late, or not at all. */
@ExtendWith(OutputCaptureExtension.class)
class LateAnswersTest {

    private static final Duration LESS_THAN_A_SEND = Duration.ofSeconds(5);
    private static final Duration LESS_THAN_A_SECOND = Duration.ofMillis(900);
    private static final Duration LONGEST_SEND = Duration.ofSeconds(20);

    private final ScriptedBroker broker = new ScriptedBroker();
    private final AtomicLong advanced = new AtomicLong();
    private final RouteFaults faults = new RouteFaults("Kafka", this::nanos);
    private final ForwardingHandler<String> handler = new ForwardingHandler<>(
            "orders",
            (event) -> event.aggregateId() + event.sequence(),
            new Sender<>(broker, LONGEST_SEND, this::nanos),
            faults,
            () -> {},
            this::nanos);

    @Test
    void nextAttemptFindsTheAcknowledgementThatCameLate() throws Exception {
        broker.silence("a");

        Map<String, Throwable> first = handle(LESS_THAN_A_SEND, "a1", "a2", "b1");

        assertThat(first).containsOnlyKeys("a1");
        assertThat(first.get("a1"))
                .isInstanceOfSatisfying(RetryAfterException.class, (ex) -> {
                    assertThat(ex.isCounted()).isFalse();
                    assertThat(ex.delay()).isEqualTo(Duration.ofSeconds(1));
                })
                .hasMessageContaining("may still do so");

        broker.acknowledge("a1");
        broker.silence("");
        assertThat(handle(LESS_THAN_A_SECOND, "a1", "a2")).isEmpty();
        assertThat(broker.sent()).containsExactly("a1", "b1", "a2");
    }

    @Test
    void messageIsNotRepeatedWhileItIsInFlight() throws Exception {
        broker.silence("a");
        handle(LESS_THAN_A_SEND, "a1", "b1");

        assertThat(handle(LESS_THAN_A_SECOND, "a1", "a2")).containsOnlyKeys("a1");
        assertThat(broker.sent()).containsExactly("a1", "b1");

        broker.fail("a1", new IllegalStateException("expired"));
        advance(Duration.ofSeconds(5));
        broker.silence("");
        handle(LESS_THAN_A_SECOND, "a1");
        awaitSent("a1", "b1", "a1");
    }

    @Test
    void onlyUnitWithoutAnswerIsNotWaitedFor() throws Exception {
        broker.silence("a");
        handle(LESS_THAN_A_SEND, "a1", "b1");

        assertThat(handle(LESS_THAN_A_SECOND, "A1", "b2", "c1")).containsOnlyKeys("A1");
        awaitSent("a1", "b1", "A1", "b2", "c1");
    }

    @Test
    void unitIsWaitedForAfterPromptAnswer() throws Exception {
        broker.silence("a");
        handle(LESS_THAN_A_SEND, "a1", "b1");
        handle(LESS_THAN_A_SECOND, "A1");
        awaitSent("a1", "b1", "A1");
        broker.acknowledge("A1");
        broker.silence("");

        assertThat(handle(LESS_THAN_A_SECOND, "A2")).isEmpty();
    }

    @Test
    void silentBrokerIsWaitedForOnce() throws Exception {
        broker.silence("abcx");
        handle(LESS_THAN_A_SEND, "a1");

        assertThat(handle(LESS_THAN_A_SECOND, "b1", "x1")).containsOnlyKeys("b1", "x1");
        advance(Duration.ofSeconds(5));
        assertThat(handle(LESS_THAN_A_SECOND, "c1"))
                .hasEntrySatisfying(
                        "c1",
                        (ex) -> assertThat(Causes.opensCircuit(ex))
                                .as("the circuit opens")
                                .isTrue());
    }

    @Test
    void failuresOfAPartDoNotOpenTheCircuit() throws Exception {
        broker.silence("a");

        assertThat(handle(LESS_THAN_A_SEND, "a1", "b1"))
                .hasEntrySatisfying(
                        "a1", (ex) -> assertThat(Causes.opensCircuit(ex)).isFalse());
    }

    @Test
    void silentUnitTakesBoundedMemory() throws Exception {
        broker.silence("a");
        handle(LESS_THAN_A_SEND, "a1", "b1");

        handle(
                LESS_THAN_A_SECOND,
                IntStream.rangeClosed(1, 100).mapToObj((i) -> "A" + i + "-1").toArray(String[]::new));

        await().until(() -> broker.sent().contains("A49-1"));
        assertThat(broker.sent()).hasSize(2 + 49);
    }

    @Test
    void blockedDestinationHoldsUpNoOther() throws Exception {
        CountDownLatch blocked = broker.block();

        assertThat(handle(LESS_THAN_A_SEND, "x1", "b1")).containsOnlyKeys("x1");
        assertThat(handle(LESS_THAN_A_SECOND, "x-1", "b2")).containsOnlyKeys("x-1");
        assertThat(broker.sent()).containsExactly("b1", "b2");

        blocked.countDown();
        awaitSent("b1", "b2", "x1");
        assertThat(handle(LESS_THAN_A_SECOND, "x1", "x-1")).isEmpty();
    }

    @Test
    void replayedEventIsSentAgain() throws Exception {
        broker.silence("a");
        handle(LESS_THAN_A_SEND, "a1", "b1");
        broker.acknowledge("a1");
        broker.silence("");

        assertThat(handle(LESS_THAN_A_SECOND, true, "a1")).isEmpty();
        assertThat(broker.sent()).containsExactly("a1", "b1", "a1");
    }

    @Test
    void silenceIsReportedAsFaultOfTheUnitUntilItAnswers(CapturedOutput output) throws Exception {
        broker.silence("a");
        handle(LESS_THAN_A_SEND, "a1", "b1");
        assertThat(faults.failing()).as("it may be a change of leaders").isEmpty();

        advance(Duration.ofSeconds(6));
        handle(LESS_THAN_A_SECOND, "a1", "b2");
        assertThat(faults.failing()).containsExactly(entry("orders", "a: it does not answer"));
        assertThat(output)
                .containsOnlyOnce("Route orders cannot send to Kafka, so its events wait: a: it does not answer");

        broker.acknowledge("a1");
        handle(LESS_THAN_A_SECOND, "a1");
        assertThat(faults.failing()).isEmpty();
        assertThat(output).containsOnlyOnce("Route orders sends to Kafka again");
    }

    @Test
    void connectionThatNeverAnswersIsReplaced() throws Exception {
        broker.silence("a");
        handle(LESS_THAN_A_SEND, "a1", "b1");

        advance(LONGEST_SEND);
        handle(LESS_THAN_A_SECOND, "a1");

        await().until(() -> broker.replacements() == 1);
        assertThat(faults.failing().toString()).contains("all destinations", "was not completed within 20 s");
    }

    @Test
    void connectionThatFailsForAMinuteIsReplaced() throws Exception {
        broker.silence("a");
        handle(LESS_THAN_A_SEND, "a1");
        advance(Duration.ofSeconds(50));
        broker.fail("a1", new IllegalStateException("expired"));
        handle(LESS_THAN_A_SECOND, "a1");
        assertThat(broker.replacements()).isZero();

        advance(Duration.ofSeconds(11));
        handle(LESS_THAN_A_SECOND, "A1");
        awaitSent("a1", "A1");
        broker.fail("A1", new IllegalStateException("expired"));

        await().until(() -> broker.replacements() == 1);
    }

    /** Suspect units get their messages from a thread that no caller waits for. */
    private void awaitSent(String... messages) {
        await().untilAsserted(() -> assertThat(broker.sent()).containsExactly(messages));
    }

    private long nanos() {
        return System.nanoTime() + advanced.get();
    }

    private void advance(Duration time) {
        advanced.addAndGet(time.toNanos());
    }

    private Map<String, Throwable> handle(Duration within, String... messages) throws Exception {
        return handle(within, false, messages);
    }

    /** Handles the events of messages, and returns the failures by message. */
    private Map<String, Throwable> handle(Duration within, boolean replayed, String... messages) throws Exception {
        Map<String, Throwable> failed = new HashMap<>();
        List<EventEnvelope> events =
                Stream.of(messages).map((message) -> event(message, replayed)).toList();
        long begun = System.nanoTime();
        handler.handle(
                events,
                events,
                (event, cause) -> {
                    EventEnvelope envelope = (EventEnvelope) event;
                    failed.put(envelope.aggregateId() + envelope.sequence(), cause);
                },
                new Context());
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(within);
        return failed;
    }

    private static EventEnvelope event(String message, boolean replayed) {
        int last = message.length() - 1;
        return new EventEnvelope(
                1,
                UUID.nameUUIDFromBytes(message.getBytes(UTF_8)),
                "default",
                "Order",
                message.substring(0, last),
                Long.parseLong(message.substring(last)),
                "OrderPlaced",
                1,
                "{}",
                Map.of(),
                Instant.EPOCH,
                replayed);
    }

    private static final class Context implements EventContext {

        @Override
        public int attempt() {
            return 1;
        }

        @Override
        public boolean isLeaseLost() {
            return false;
        }
    }
}
