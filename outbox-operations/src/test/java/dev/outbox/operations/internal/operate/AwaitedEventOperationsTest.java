package dev.outbox.operations.internal.operate;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.LateAnswers;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import dev.outbox.operations.Count;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.OutboxOperations.Changed;
import dev.outbox.operations.OutboxOperations.Erased;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.operations.internal.OperationsRuntime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What operators do while a handler awaits an answer, and what the answer does then. */
class AwaitedEventOperationsTest {

    private static final Duration SHORT = Duration.ofMillis(300);

    @RegisterExtension
    private final TestOutbox outbox =
            TestOutbox.create().retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 10)).stream(
                    "default",
                    new PollerSettings(Duration.ofMillis(50), 100, 1, Duration.ofSeconds(5), Duration.ofSeconds(1)));

    private final LateAnswers late = new LateAnswers();
    private final AtomicInteger lostLeases = new AtomicInteger();

    @Test
    void commandsLeaveAnAwaitedEventToItsAnswer() {
        EventEnvelope event = awaited("a", 1);
        DeliverySelection delivery = DeliverySelection.delivery(event.eventId(), "forward");

        assertThat(operator().operations().skip(delivery, "ann", "why")).isEqualTo(new Changed(0, 1));
        assertThat(operator().operations().retry(delivery, "ann", "why").affected())
                .isZero();
        assertThatThrownBy(() -> erase(Erasure.ofAggregate("order", "a")))
                .isInstanceOf(InvalidOperationException.class);
        assertThat(erase(Erasure.ofAggregate("order", "a").withoutDelivery()))
                .isEqualTo(Erased.of(0, new Count(1, true)));
        assertThatThrownBy(() -> operator().operations().expireHandler("forward", "ann", "why"))
                .isInstanceOf(InvalidOperationException.class);
        late.succeed("a 1");

        awaitDone(1);
        assertThat(late.begun()).containsExactly("a 1");
        assertThat(erase(Erasure.ofAggregate("order", "a"))).isEqualTo(Erased.of(1, Count.NONE));
    }

    @Test
    void answerOfAPausedHandlerIsSettled() {
        awaited("a", 1);
        awaited("b", 1);
        operator().operations().pauseHandler("forward", "ann", "why");
        late.succeed("a 1");
        late.fail("b 1", new IllegalStateException("on purpose"));

        outbox.awaitPublished(1);
        await().until(() -> outbox.claims() == 0);
        await().during(SHORT).until(() -> late.begun().size() == 2);
        operator().operations().resumeHandler("forward", "ann", "why");
        await().until(() -> late.begun().size() == 3);
        late.succeed("b 1");
        awaitDone(2);
    }

    @Test
    void answerInAPausedStreamIsSettled() {
        awaited("a", 1);
        awaited("b", 1);
        operator().operations().pauseStream("default", "ann", "why");
        late.succeed("a 1");
        late.fail("b 1", new IllegalStateException("on purpose"));

        outbox.awaitPublished(1);
        await().until(() -> outbox.claims() == 0);
        operator().operations().resumeStream("default", "ann", "why");
        await().until(() -> late.begun().size() == 3);
        late.succeed("b 1");
        awaitDone(2);
    }

    @Test
    void replayOfAnEarlierEventWaitsForTheAnswer() {
        start();
        outbox.publishOrders("a", 1);
        await().until(() -> late.begun().size() == 1);
        late.succeed("a 1");
        awaitDone(1);
        awaited("a", 2);

        operator().replays().start(ReplayRequest.of("forward"), "ann", "why");

        await().until(() -> outbox.deliveries() == 2);
        await().during(SHORT).until(() -> late.begun().size() == 2);
        late.succeed("a 2");
        await().until(() -> late.begun().size() == 3);
        late.succeed("a 1");
        awaitDone(2);
        assertThat(late.begun()).containsExactly("a 1", "a 2", "a 1");
    }

    /** The lane is there before the claim could keep it. */
    @Test
    void replayThatOpensTheLaneFirstWaitsForTheAnswer() {
        CountDownLatch slow = new CountDownLatch(1);
        outbox.handler("local", "*", (event) -> {
            if (event.sequence() == 2) {
                awaitLatch(slow);
            }
        });
        start();
        EventEnvelope first = outbox.publishOrders("a", 1).get(0);
        await().until(() -> late.begun().size() == 1);
        late.succeed("a 1");
        awaitDone(1);
        outbox.publishOrders("a", 1);
        await().until(() -> outbox.claims() == 1);
        operator().replays().start(ReplayRequest.of("forward").event(first.eventId()), "ann", "why");
        await().until(() -> outbox.deliveries() == 1);

        slow.countDown();

        await().until(() -> late.begun().size() == 2);
        await().until(() -> outbox.deliveries() == 2);
        await().during(SHORT).until(() -> late.begun().size() == 2);
        late.succeed("a 2");
        await().until(() -> late.begun().size() == 3);
        late.succeed("a 1");
        awaitDone(2);
        assertThat(late.begun()).containsExactly("a 1", "a 2", "a 1");
    }

    /** The retry opens a lane that the claim did not know. Another claim may take it first: then the event is delivered once more. */
    @Test
    void retryOfAnEarlierDeadLetterDuringTheFirstDeliveryLosesNothing() {
        CountDownLatch slow = new CountDownLatch(1);
        outbox.retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 1));
        outbox.handler("local", "*", (event) -> {
            if (event.sequence() == 2) {
                awaitLatch(slow);
            }
        });
        start();
        EventEnvelope first = outbox.publishOrders("a", 1).get(0);
        await().until(() -> late.begun().size() == 1);
        late.fail("a 1", new IllegalStateException("on purpose"));
        await().until(() -> outbox.deadDeliveries() == 1 && outbox.claims() == 0);
        outbox.publishOrders("a", 1);
        await().until(() -> outbox.claims() == 1);
        operator().operations().pauseHandler("forward", "ann", "why");
        operator().operations().retry(DeliverySelection.delivery(first.eventId(), "forward"), "ann", "why");
        operator().operations().resumeHandler("forward", "ann", "why");

        slow.countDown();
        await().until(() -> late.begun().size() >= 2);
        await().until(() -> late.open().isEmpty() || outbox.claimedLanes() == 1);
        await().until(() -> {
            List.copyOf(late.open().keySet()).forEach(late::succeed);
            return outbox.published() == 2;
        });
        await().until(() -> outbox.claims() == 0 && outbox.lanes() == 0);
    }

    @Test
    void awaitedEventIsProcessing() {
        EventEnvelope event = awaited("a", 1);

        assertThat(operator()
                        .inspector()
                        .findEvent(event.eventId())
                        .orElseThrow()
                        .progress()
                        .status())
                .isEqualTo(EventDetails.Status.PROCESSING);
        assertThat(outbox.statuses()).containsExactly("PROCESSING");
        assertThat(operator().inspector().lanes("order", "a"))
                .extracting(LaneReport::cause)
                .containsExactly(LaneReport.Cause.RUNNING);
        OutboxOverview.Backlog backlog =
                operator().inspector().overview().streams().get(0).backlog();
        assertThat(backlog.retrying()).isEqualTo(new Count(0, true));
        assertThat(backlog.processing()).isEqualTo(new Count(1, true));
        assertThat(backlog.pending()).isEqualTo(new Count(0, true));
        late.fail("a 1", new IllegalStateException("on purpose"));
        await().until(() -> late.begun().size() == 2);
        backlog = operator().inspector().overview().streams().get(0).backlog();
        assertThat(backlog.retrying()).as("it has failed").isEqualTo(new Count(1, true));
        assertThat(backlog.processing()).isEqualTo(new Count(0, true));
        late.succeed("a 1");
        awaitDone(1);
    }

    private OperationsRuntime operator() {
        return Operator.of(outbox);
    }

    private Erased erase(Erasure erasure) {
        return new JdbcOperations(
                        outbox.database().as("outbox_eraser"),
                        OutboxSchema.DEFAULT,
                        OutboxSchema.DEFAULT_ARCHIVE,
                        OutboxListener.NONE,
                        (stream) -> {})
                .erase(erasure, "ann", "why");
    }

    private EventEnvelope awaited(String aggregate, int sequence) {
        start();
        long lanes = outbox.claimedLanes();
        EventEnvelope event = outbox.publishOrders(aggregate).get(0);
        await().until(() -> late.begun().contains(aggregate + " " + sequence) && outbox.claimedLanes() == lanes + 1);
        return event;
    }

    private boolean started;

    private void start() {
        if (!started) {
            started = true;
            outbox.onLostLease(lostLeases::incrementAndGet)
                    .handler(late.handler())
                    .start();
        }
    }

    private void awaitDone(long published) {
        outbox.awaitPublished(published);
        await().until(() -> outbox.claims() == 0 && outbox.lanes() == 0 && outbox.deliveries() == 0);
        assertThat(lostLeases).hasValue(0);
    }
}
