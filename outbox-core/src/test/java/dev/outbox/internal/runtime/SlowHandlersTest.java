package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A handler that waits for a remote system, beside one that does not: neither kind of delivery waits for a batch of the other. */
class SlowHandlersTest {

    private static final int SLOW = 8;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Lanes lanes = new Lanes(outbox);
    private final AtomicInteger calls = new AtomicInteger();

    /** Answers of the remote system. */
    private final Semaphore answers = new Semaphore(0);

    @AfterEach
    void close() {
        answers.release(SLOW);
    }

    @Test
    @Guarantee(value = "G4", sentence = "A new event waits for one retry that times out, not for a batch of them.")
    void firstDeliveryWaitsForOneSlowRetry() {
        Recorded healthy = Recorded.all();
        outbox.handler("remote", "OrderPlaced", this::timesOut).handler("mail", "OrderPaid", healthy);
        dueRetries();
        outbox.start();
        await().until(() -> calls.get() == 1);
        EventEnvelope event = outbox.publish("new", new OrderPaid(1));

        await().until(() -> healthy.attemptsOf(event) == 1);
        assertThat(calls.get()).isLessThanOrEqualTo(2);
        await().until(() -> calls.get() == 4);
        outbox.runtime().close();
        assertThat(outbox.claimedLanes()).isZero();
    }

    @Test
    void dueRetryWaitsForOneSlowFirstDelivery() {
        Recorded healthy = Recorded.all();
        Recorded remote = Recorded.failing((attempt) -> {
            awaitTimeout();
            return null;
        });
        outbox.handler("remote", "OrderPlaced", remote).handler("mail", "OrderPaid", healthy);
        EventEnvelope event = outbox.publish("retried", new OrderPaid(1));
        lanes.failed("mail", event);
        IntStream.rangeClosed(1, 4).forEach((number) -> outbox.publish("1", new OrderPlaced(number)));
        outbox.start();
        await().until(() -> calls.get() == 1);
        lanes.due();

        await().until(() -> healthy.attemptsOf(event) == 1);
        assertThat(calls.get()).isLessThanOrEqualTo(2);
        outbox.awaitPublished(5);
        assertThat(remote.sequences()).containsEntry("1", List.of(1L, 2L, 3L, 4L));
    }

    @Test
    @Guarantee(value = "G4", sentence = "Slow retries leave one thread of a pool to new events.")
    void slowRetriesLeaveAThread() {
        Recorded healthy = Recorded.all();
        concurrent().handler("remote", "OrderPlaced", this::waits).handler("mail", "OrderPaid", healthy);
        dueRetries();
        outbox.start();
        await().until(() -> calls.get() > 0);
        EventEnvelope event = outbox.publish("new", new OrderPaid(1));

        await().until(() -> healthy.attemptsOf(event) == 1);
        assertThat(calls).hasValue(1);
    }

    @Test
    void slowFirstDeliveriesLetARetryPass() {
        Recorded healthy = Recorded.all();
        concurrent().handler("remote", "OrderPlaced", this::waits).handler("mail", "OrderPaid", healthy);
        EventEnvelope event = outbox.publish("retried", new OrderPaid(1));
        lanes.failed("mail", event);
        IntStream.range(0, SLOW).forEach((number) -> outbox.publish("slow-" + number, new OrderPlaced(1)));
        outbox.start();
        await().until(() -> calls.get() == 2);
        lanes.due();
        await().until(() -> outbox.claimedLanes() == 1);
        answers.release();

        await().until(() -> healthy.attemptsOf(event) == 1);
        assertThat(calls.get()).isLessThanOrEqualTo(3);
    }

    private TestOutbox concurrent() {
        return outbox.stream("default", PollerSettings.defaults().withConcurrency(2));
    }

    private void dueRetries() {
        for (int i = 0; i < SLOW; i++) {
            lanes.failed("remote", outbox.publish("slow-" + i, new OrderPlaced(i)));
        }
        lanes.due();
    }

    private void timesOut(EventEnvelope envelope) throws IOException {
        awaitTimeout();
        throw new IOException("timed out");
    }

    private void waits(EventEnvelope envelope) throws InterruptedException {
        calls.incrementAndGet();
        answers.acquire();
    }

    /** Until the timeout of the call: longer than a turn of the poller. */
    private void awaitTimeout() {
        calls.incrementAndGet();
        try {
            assertThat(answers.tryAcquire(1100, TimeUnit.MILLISECONDS)).isFalse();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
