package dev.outbox.internal.runtime;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.listener.OutboxListener;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class StreamPollerTest {

    private static final Duration NEVER = Duration.ofHours(1);

    /** Less than the time after which an instance looks for what no notification has announced. */
    private static final Duration BEFORE_A_LOOK = Duration.ofSeconds(15);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void commitWakesThePollerOfTheSameProcess() {
        Recorded handler = Recorded.all();
        outbox.handler("any", "*", handler)
                .poller(NEVER, 50, Duration.ofMinutes(1))
                .start();
        for (int i = 1; i <= 20; i++) {
            outbox.publish("1", new OrderPlaced(i));
            int handled = i;
            await().until(() -> handler.handled().size() == handled);
        }
    }

    @Test
    void backlogIsDrainedWithoutPauses() {
        Recorded handler = Recorded.all();
        outbox.handler("any", "*", handler).poller(NEVER, 10, Duration.ofMinutes(1));
        outbox.publishOrders("1", 105);
        outbox.start();

        outbox.awaitPublished(105);
        assertThat(handler.sequences())
                .containsEntry("1", LongStream.rangeClosed(1, 105).boxed().toList());
    }

    @Test
    void listenerSurvivesALostConnectionAndMissesNothing() {
        Recorded handler = Recorded.all();
        outbox.withNotifications().withoutPolling().start();
        try (TestOutbox other = outbox.another()) {
            other.withNotifications()
                    .handler("any", "*", handler)
                    .poller(NEVER, 50, Duration.ofMinutes(1))
                    .start();
            outbox.awaitListeners(1);
            outbox.breakListeners();
            outbox.publishOrders("1", 5);
            await().atMost(BEFORE_A_LOOK).until(() -> handler.handled().size() == 5);
        }
    }

    @Test
    void idlePollerAsksOnceInEachInterval() {
        AtomicInteger rounds = new AtomicInteger();
        outbox.onClaim((events) -> rounds.incrementAndGet()).poller(Duration.ofMillis(100), 50, Duration.ofMinutes(1));
        long begun = System.nanoTime();
        outbox.start();
        await().until(() -> rounds.get() >= 20);
        int seen = rounds.get();
        long millis = Duration.ofNanos(System.nanoTime() - begun).toMillis();
        assertThat(seen).isLessThanOrEqualTo((int) (millis / 100) + 1);
    }

    @Test
    @Guarantee(value = "G2", sentence = "A delivery is delegated to an instance that has the handler.")
    void delegatesDeliveryToInstanceWithHandler() {
        Recorded here = Recorded.all();
        Recorded there = Recorded.all();
        AtomicInteger completed = new AtomicInteger();
        try (TestOutbox other = outbox.another()) {
            other.handler("there", "*", there).start();
            // Registered, but gone for the moment.
            other.runtime().close();
            outbox.listener(new OutboxListener() {
                        @Override
                        public void completed(String stream, int retries) {
                            completed.incrementAndGet();
                        }
                    })
                    .handler("here", "*", here)
                    .start();
            List<EventEnvelope> events = outbox.publishOrders("1", 3);
            await().untilAsserted(() -> assertThat(events)
                    .allSatisfy((event) -> assertThat(outbox.event(event)).isRetrying()));
            assertThat(here.handled()).hasSize(3);
            assertThat(completed).hasValue(0);
            other.start();
            await().untilAsserted(() -> assertThat(events)
                    .allSatisfy((event) -> assertThat(outbox.event(event)).isPublished()));
            assertThat(there.sequences()).containsEntry("1", List.of(1L, 2L, 3L));
        }
    }

    @Test
    void eventWithoutSubscribersIsPublishedAndCounted() {
        AtomicInteger unrouted = new AtomicInteger();
        outbox.listener(new OutboxListener() {
                    @Override
                    public void unrouted(String stream) {
                        unrouted.incrementAndGet();
                    }
                })
                .handler("paid", "OrderPaid", Recorded.all())
                .start();
        EventEnvelope first = outbox.publish("1", new OrderPlaced(1));
        EventEnvelope second = outbox.publish("1", new OrderPlaced(2));

        assertThat(outbox.event(second)).becomesPublished();
        assertThat(outbox.event(first)).isPublished();
        assertThat(unrouted).hasValue(2);
    }

    @Test
    void stuckHandlerOfOneStreamDelaysNoOther() {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Recorded handler = Recorded.failing((attempt) -> {
            if (attempt.envelope().stream().equals("slow")) {
                stuck.countDown();
                awaitLatch(release);
            }
            return attempt.number() == 1 && attempt.envelope().sequence() == 2 ? new Exception("once") : null;
        });
        outbox.handler("any", "*", handler).retry(TestOutbox.AT_ONCE).stream("slow", PollerSettings.defaults())
                .start();
        EventEnvelope slow =
                outbox.publish(OutboxEvent.of("report", "1", new OrderPlaced(1)).inStream("slow"));
        awaitLatch(stuck);

        outbox.publishOrders("1", 200);

        outbox.awaitPublished(200);
        assertThat(handler.sequences())
                .containsEntry("1", LongStream.rangeClosed(1, 200).boxed().toList());
        assertThat(outbox.event(slow)).isProcessing();
        release.countDown();
        assertThat(outbox.event(slow)).becomesPublished();
    }
}
