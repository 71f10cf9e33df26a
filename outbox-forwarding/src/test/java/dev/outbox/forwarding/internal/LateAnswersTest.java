package dev.outbox.forwarding.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.RetryAfterException;
import dev.outbox.internal.dispatch.LaterOutcomes;
import dev.outbox.internal.failure.Causes;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
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

    private static final Duration LONGEST_SEND = Duration.ofSeconds(20);

    private final ScriptedBroker broker = new ScriptedBroker();
    private final AtomicLong advanced = new AtomicLong();
    private final RouteFaults faults = new RouteFaults("Kafka", this::nanos);
    private final Sender<String> sender = new Sender<>(broker, LONGEST_SEND, this::nanos);
    private final ForwardingHandler<String> handler =
            new ForwardingHandler<>("orders", this::message, sender, faults, () -> {}, this::nanos);
    private final Set<Thread> mappers = ConcurrentHashMap.newKeySet();
    private volatile String payload = "{}";
    private volatile boolean over;

    @Test
    void acknowledgementSendsTheNextOfItsAggregate() throws Exception {
        broker.silence("a");

        Map<String, CompletableFuture<?>> outcomes = handle("a1", "a2", "b1", "b2");
        awaitSuccess(outcomes, "b1", "b2");
        assertThat(broker.sent()).containsExactly("a1", "b1", "b2");

        broker.acknowledge("a1");
        awaitSent("a1", "b1", "b2", "a2");
        assertThat(outcomes.get("a1")).isCompleted();
        assertThat(outcomes.get("a2")).isNotDone();
    }

    @Test
    void acknowledgementCreatesNoMessage() throws Exception {
        broker.silence("a");
        Map<String, CompletableFuture<?>> outcomes = handle("a1", "a2");
        awaitSent("a1");

        CompletableFuture.runAsync(() -> broker.acknowledge("a1")).join();

        awaitSent("a1", "a2");
        broker.acknowledge("a2");
        awaitSuccess(outcomes, "a1", "a2");
        assertThat(mappers).containsExactly(Thread.currentThread());
    }

    @Test
    void nothingFollowsAnEventWithoutMessage() throws Exception {
        Map<String, CompletableFuture<?>> outcomes = handle("a1", "!1", "!2", "b1");

        awaitSuccess(outcomes, "a1", "b1");
        assertThat(failure(outcomes, "!1")).isInstanceOf(IllegalArgumentException.class);
        assertThat(outcomes.get("!2")).isNotDone();
        assertThat(broker.sent()).containsExactly("a1", "b1");
    }

    @Test
    void nothingFollowsAFailureInItsAggregate() throws Exception {
        broker.silence("a");
        Map<String, CompletableFuture<?>> outcomes = handle("a1", "a2");
        awaitSent("a1");

        broker.fail("a1", new IllegalStateException("expired"));

        assertThat(failure(outcomes, "a1")).isInstanceOfSatisfying(RetryAfterException.class, (ex) -> {
            assertThat(ex.isCounted()).isFalse();
            assertThat(ex.delay()).isEqualTo(Duration.ofSeconds(5));
        });
        assertThat(broker.sent()).containsExactly("a1");
    }

    @Test
    void nothingBeginsOnceTheClaimIsOver() throws Exception {
        broker.silence("a");
        Map<String, CompletableFuture<?>> outcomes = handle("a1", "a2");
        awaitSent("a1");

        over = true;
        broker.acknowledge("a1");

        assertThat(outcomes.get("a1")).isCompleted();
        assertThat(outcomes.get("a2")).isCancelled();
        assertThat(broker.sent()).containsExactly("a1");
    }

    @Test
    void nextAttemptFindsTheAcknowledgementThatCameLate() throws Exception {
        broker.silence("a");
        handle("a1");
        awaitSent("a1");
        advance(Duration.ofSeconds(2));
        broker.acknowledge("a1");

        assertThat(handle("a1").get("a1")).isCompleted();
        assertThat(broker.sent()).containsExactly("a1");
    }

    @Test
    void messageIsNotRepeatedWhileItIsInFlight() throws Exception {
        broker.silence("a");
        Map<String, CompletableFuture<?>> first = handle("a1");
        awaitSent("a1");

        Map<String, CompletableFuture<?>> second = handle("a1");
        assertThat(second.get("a1")).isNotDone();
        assertThat(broker.sent()).containsExactly("a1");

        broker.fail("a1", new IllegalStateException("expired"));
        assertThat(first.get("a1")).isCompletedExceptionally();
        assertThat(second.get("a1")).isCompletedExceptionally();
        advance(Duration.ofSeconds(5));
        handle("a1");
        awaitSent("a1", "a1");
    }

    @Test
    void failuresOfAPartDoNotOpenTheCircuit() throws Exception {
        broker.silence("a");
        Map<String, CompletableFuture<?>> outcomes = handle("a1", "b1");
        awaitSuccess(outcomes, "b1");

        broker.fail("a1", new IllegalStateException("expired"));

        assertThat(Causes.opensCircuit(failure(outcomes, "a1"))).isFalse();
    }

    @Test
    void failuresOpenTheCircuitOnceNothingWorks() throws Exception {
        broker.silence("a");
        Map<String, CompletableFuture<?>> outcomes = handle("a1");
        awaitSent("a1");
        advance(Duration.ofSeconds(5));

        broker.fail("a1", new IllegalStateException("expired"));

        assertThat(Causes.opensCircuit(failure(outcomes, "a1"))).isTrue();
    }

    @Test
    void silentUnitTakesBoundedMemory() throws Exception {
        broker.silence("a");
        handle("a1");
        awaitSent("a1");
        advance(Duration.ofMillis(1100));
        awaitThread();

        Map<String, CompletableFuture<?>> outcomes = handle(
                IntStream.rangeClosed(1, 100).mapToObj((i) -> "A" + i + "-1").toArray(String[]::new));

        await().until(() ->
                outcomes.values().stream().filter(CompletableFuture::isDone).count() == 51);
        assertThat(broker.sent()).hasSize(2 + 49);
        awaitSuccess(handle("b1"), "b1");
    }

    @Test
    void silentBrokerTakesBoundedMemory() throws Exception {
        payload = "x".repeat(8 << 20);
        broker.silence("abcdefg");
        handle("a1", "a2", "b1", "c1", "d1", "e1", "f1", "g1");
        await().until(() -> broker.sent().size() == 7);

        assertThat(failure(handle("h1", "h2"), "h1")).isInstanceOfSatisfying(RetryAfterException.class, (ex) -> {
            assertThat(ex).hasMessageContaining("too many messages have no answer yet");
            assertThat(ex.isCounted()).isFalse();
        });
        advance(Duration.ofSeconds(5));
        assertThat(Causes.opensCircuit(failure(handle("h1", "h2"), "h1"))).isTrue();
        assertThat(broker.sent()).hasSize(7);

        broker.acknowledge("g1");
        awaitSuccess(handle("h1", "h2"), "h1", "h2");
    }

    @Test
    void blockedDestinationHoldsUpNoOther() throws Exception {
        CountDownLatch blocked = broker.block();
        Map<String, CompletableFuture<?>> first = handle("x1", "b1");
        awaitSuccess(first, "b1");
        advance(Duration.ofMillis(1100));

        Map<String, CompletableFuture<?>> second = handle("x-1");
        awaitThread();
        assertThat(failure(second, "x-1")).hasMessageContaining("earlier messages have no answer yet");

        blocked.countDown();
        awaitSuccess(first, "x1");
        awaitSuccess(handle("x-1"), "x-1");
    }

    @Test
    void messageThatWaitedLongForItsDestinationIsNotSent() throws Exception {
        CountDownLatch blocked = broker.block();
        Map<String, CompletableFuture<?>> outcomes = handle("x1", "x-1");
        advance(Duration.ofSeconds(6));

        blocked.countDown();

        assertThat(failure(outcomes, "x-1")).hasMessageContaining("the messages before it took too long");
    }

    @Test
    void messageThatWaitsForItsDestinationIsNotSentOnceTheClaimIsOver() throws Exception {
        CountDownLatch blocked = broker.block();
        Map<String, CompletableFuture<?>> outcomes = handle("x1", "x-1");

        over = true;
        blocked.countDown();

        await().until(outcomes.get("x-1")::isCancelled);
        assertThat(broker.sent()).doesNotContain("x-1");
    }

    @Test
    void replayedEventIsSentAgain() throws Exception {
        broker.silence("a");
        handle("a1");
        awaitSent("a1");
        advance(Duration.ofSeconds(2));
        broker.acknowledge("a1");

        handle(true, "a1");
        awaitSent("a1", "a1");
    }

    @Test
    void silenceIsReportedAsFaultOfTheUnitUntilItAnswers(CapturedOutput output) throws Exception {
        broker.silence("a");
        awaitSuccess(handle("a1", "b1"), "b1");
        sender.look();
        assertThat(faults.failing()).as("it may be a change of leaders").isEmpty();

        advance(Duration.ofSeconds(7));
        sender.look();
        assertThat(faults.failing()).containsExactly(entry("orders", "a: it does not answer"));
        assertThat(output)
                .containsOnlyOnce("Route orders cannot send to Kafka, so its events wait: a: it does not answer");

        broker.acknowledge("a1");
        assertThat(faults.failing()).isEmpty();
        assertThat(output).containsOnlyOnce("Route orders sends to Kafka again");
    }

    @Test
    void connectionThatNeverAnswersIsReplaced() throws Exception {
        broker.silence("a");
        Map<String, CompletableFuture<?>> outcomes = handle("a1", "b1");
        awaitSuccess(outcomes, "b1");

        advance(LONGEST_SEND.plusSeconds(1));
        sender.look();

        assertThat(failure(outcomes, "a1")).hasMessageContaining("was not completed within 20 s");
        await().until(() -> broker.replacements() == 1);
        assertThat(faults.failing().toString()).contains("all destinations", "was not completed within 20 s");
    }

    /** The stage of the first attempt was cancelled, as the core does when it is out of time. */
    @Test
    void attemptThatWasGivenUpSendsNoMore() throws Exception {
        broker.silence("a");
        Map<String, CompletableFuture<?>> first = handle("a1", "a2");
        awaitSent("a1");
        first.get("a1").cancel(false);
        Map<String, CompletableFuture<?>> second = handle("a1");

        broker.acknowledge("a1");

        awaitSuccess(second, "a1");
        awaitSuccess(handle("b1"), "b1");
        assertThat(broker.sent()).containsExactly("a1", "b1");
    }

    @Test
    void messageThatCannotBeSentDoesNotStayOpen() throws Exception {
        Map<String, CompletableFuture<?>> refused = new HashMap<>();
        for (int i = 0; i < 101; i++) {
            refused = handle(IntStream.range(i * 100, (i + 1) * 100)
                    .mapToObj((k) -> "?" + k + "-1")
                    .toArray(String[]::new));
        }

        assertThat(refused.values()).allSatisfy((outcome) -> assertThat(outcome).isCompletedExceptionally());
        awaitSuccess(handle("a1"), "a1");
    }

    @Test
    void messageThatWasGivenUpIsNotSent() throws Exception {
        CountDownLatch blocked = broker.block();
        Map<String, CompletableFuture<?>> outcomes = handle("x1");
        advance(LONGEST_SEND.plusSeconds(1));
        sender.look();
        assertThat(failure(outcomes, "x1")).hasMessageContaining("was not completed within 20 s");
        blocked.countDown();
        await().until(() -> broker.replacements() == 1);

        advance(Duration.ofSeconds(5));
        awaitSuccess(handle("x2"), "x2");
        assertThat(broker.sent()).containsExactly("x2");
    }

    @Test
    void connectionIsReplacedWhileASendWaitsForIt() throws Exception {
        CountDownLatch blocked = broker.block();
        Map<String, CompletableFuture<?>> outcomes = handle("x1");
        awaitSuccess(handle("b1"), "b1");
        advance(LONGEST_SEND.plusSeconds(1));

        sender.look();

        await().until(() -> broker.replacements() == 1);
        assertThat(failure(outcomes, "x1")).hasMessageContaining("was not completed within 20 s");
        blocked.countDown();
    }

    @Test
    void connectionThatFailsForAMinuteIsReplaced() throws Exception {
        broker.silence("a");
        handle("a1");
        awaitSent("a1");
        advance(Duration.ofSeconds(15));
        broker.fail("a1", new IllegalStateException("expired"));
        assertThat(broker.replacements()).isZero();

        advance(Duration.ofSeconds(46));
        handle("A1");
        awaitSent("a1", "A1");
        broker.fail("A1", new IllegalStateException("expired"));

        await().until(() -> broker.replacements() == 1);
    }

    private String message(EventEnvelope event) {
        mappers.add(Thread.currentThread());
        if (event.aggregateId().equals("!")) {
            throw new IllegalArgumentException("no message");
        }
        return event.aggregateId() + event.sequence();
    }

    /** Awaits that the thread of the destination has ended with the message before: to the clock of the test, that took long. */
    private void awaitThread() {
        await().until(() -> {
            CompletableFuture<?> outcome = handle("b9").get("b9");
            await().until(outcome::isDone);
            return !outcome.isCompletedExceptionally();
        });
    }

    /** Messages are sent on a thread of their destination. */
    private void awaitSent(String... messages) {
        await().untilAsserted(() -> assertThat(broker.sent()).containsExactly(messages));
    }

    private static void awaitSuccess(Map<String, CompletableFuture<?>> outcomes, String... messages) {
        for (String message : messages) {
            assertThat(outcomes.get(message)).succeedsWithin(Duration.ofSeconds(10));
        }
    }

    private static Throwable failure(Map<String, CompletableFuture<?>> outcomes, String message) {
        return assertThat(outcomes.get(message))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .actual()
                .getCause();
    }

    private long nanos() {
        return System.nanoTime() + advanced.get();
    }

    private void advance(Duration time) {
        advanced.addAndGet(time.toNanos());
    }

    private Map<String, CompletableFuture<?>> handle(String... messages) throws Exception {
        return handle(false, messages);
    }

    /** Handles the events of messages, and returns their outcomes by message. */
    private Map<String, CompletableFuture<?>> handle(boolean replayed, String... messages) throws Exception {
        Map<String, CompletableFuture<?>> outcomes = new HashMap<>();
        List<EventEnvelope> events =
                Stream.of(messages).map((message) -> event(message, replayed)).toList();
        handler.handle(events, events, new Outcomes(outcomes), new Context());
        return outcomes;
    }

    private final class Outcomes implements LaterOutcomes {

        private final Map<String, CompletableFuture<?>> later;

        Outcomes(Map<String, CompletableFuture<?>> later) {
            this.later = later;
        }

        @Override
        public void later(Object event, CompletionStage<?> outcome) {
            EventEnvelope envelope = (EventEnvelope) event;
            later.put(envelope.aggregateId() + envelope.sequence(), outcome.toCompletableFuture());
        }

        @Override
        public void failed(Object event, Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public boolean isOver() {
            return over;
        }
    }

    private EventEnvelope event(String message, boolean replayed) {
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
                payload,
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
