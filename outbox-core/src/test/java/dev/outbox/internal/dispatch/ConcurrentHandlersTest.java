package dev.outbox.internal.dispatch;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.HandlerDefinition.EnvelopeHandler;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ConcurrentHandlersTest {

    private static final PollerSettings FOUR =
            new PollerSettings(Duration.ofSeconds(1), 20, 4, Duration.ofMinutes(1), Duration.ofSeconds(10));

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void handlesSeveralAggregatesConcurrently() {
        CountDownLatch all = new CountDownLatch(4);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        outbox
                .handler("any", "*", (envelope) -> {
                    threads.add(Thread.currentThread());
                    all.countDown();
                    awaitLatch(all);
                })
                .stream("default", FOUR);
        IntStream.rangeClosed(1, 4).forEach((aggregate) -> outbox.publish("" + aggregate, new OrderPlaced(1)));
        outbox.start();

        outbox.awaitPublished(4);
        assertThat(threads).hasSize(4).allMatch(Thread::isDaemon);
    }

    @Test
    void handlesOneEventPerAggregateAtATime() {
        Recorded handled = Recorded.all();
        Map<String, Thread> running = new ConcurrentHashMap<>();
        Set<String> overlaps = ConcurrentHashMap.newKeySet();
        EnvelopeHandler handler = (envelope) -> {
            if (running.put(envelope.aggregateId(), Thread.currentThread()) != null) {
                overlaps.add(envelope.aggregateId());
            }
            handled.handle(envelope);
            running.remove(envelope.aggregateId());
        };
        try (TestOutbox other = outbox.another()) {
            outbox.handler("any", "*", handler).stream("default", FOUR);
            other.handler("any", "*", handler).stream("default", FOUR);
            for (int number = 1; number <= 50; number++) {
                for (int aggregate = 1; aggregate <= 20; aggregate++) {
                    outbox.publish("" + aggregate, new OrderPlaced(number));
                }
                if (number == 20) {
                    outbox.start();
                    other.start();
                }
            }

            outbox.awaitPublished(1000);
            assertThat(overlaps).isEmpty();
            List<Long> inOrder = LongStream.rangeClosed(1, 50).boxed().toList();
            assertThat(handled.sequences())
                    .hasSize(20)
                    .allSatisfy((aggregate, sequences) -> assertThat(sequences).isEqualTo(inOrder));
        }
    }

    @Test
    @Guarantee(value = "G4", sentence = "With several threads, a slow event delays its own aggregate only.")
    void slowAggregateDelaysNoOther() {
        CountDownLatch slow = new CountDownLatch(1);
        Recorded handled = Recorded.all();
        outbox
                .handler("any", "*", (envelope) -> {
                    if (envelope.aggregateId().equals("slow")) {
                        awaitLatch(slow);
                    }
                    handled.handle(envelope);
                })
                .stream("default", FOUR);
        outbox.publish("slow", new OrderPlaced(1));
        IntStream.rangeClosed(1, 5).forEach((aggregate) -> outbox.publish("" + aggregate, new OrderPlaced(1)));
        outbox.start();
        outbox.awaitPublished(5);

        // These were claimed together with the slow one, whose claim must not hold them any more.
        for (int number = 2; number <= 10; number++) {
            for (int aggregate = 1; aggregate <= 5; aggregate++) {
                outbox.publish("" + aggregate, new OrderPlaced(number));
            }
        }
        outbox.publish("slow", new OrderPlaced(2));
        outbox.awaitPublished(50);
        assertThat(handled.sequences()).doesNotContainKey("slow");
        slow.countDown();
        outbox.awaitPublished(52);
        assertThat(handled.sequences()).containsEntry("slow", List.of(1L, 2L));
    }

    /** On all threads but one, which they leave to new events. */
    @Test
    void retriesOfSeveralLanesAreAttemptedAtTheSameTime() {
        CountDownLatch all = new CountDownLatch(3);
        Recorded failingOnce =
                Recorded.failing((attempt) -> attempt.number() == 1 ? new IllegalStateException("once") : null);
        outbox
                .handler("any", "*", (envelope) -> {
                    failingOnce.handle(envelope);
                    all.countDown();
                    awaitLatch(all);
                })
                .retry(TestOutbox.AT_ONCE)
                .stream("default", FOUR);
        IntStream.rangeClosed(1, 3).forEach((aggregate) -> outbox.publish("" + aggregate, new OrderPlaced(1)));
        outbox.start();

        outbox.awaitPublished(3);
    }

    @Test
    void closingLetsRunningHandlersFinishAndSetsTheRestFree() {
        CountDownLatch begun = new CountDownLatch(4);
        CountDownLatch finish = new CountDownLatch(1);
        Recorded handled = Recorded.all();
        outbox
                .handler("any", "*", (envelope) -> {
                    begun.countDown();
                    awaitLatch(finish);
                    handled.handle(envelope);
                })
                .stream("default", FOUR);
        IntStream.rangeClosed(1, 8).forEach((aggregate) -> outbox.publish("" + aggregate, new OrderPlaced(1)));
        outbox.start();
        awaitLatch(begun);
        outbox.closeBeside(finish);

        assertThat(outbox.published()).isEqualTo(handled.handled().size());
        assertThat(handled.handled()).hasSizeBetween(4, 7);
        assertThat(outbox.claims()).isZero();
        assertThat(outbox.statuses()).containsOnly("PUBLISHED", "PENDING");
    }

    @Test
    void handlerThatClosesTheOutboxDoesNotWaitForItself() {
        CountDownLatch closed = new CountDownLatch(1);
        outbox
                .handler("any", "*", (envelope) -> {
                    outbox.runtime().close();
                    closed.countDown();
                })
                .stream("default", FOUR);
        outbox.publish("1", new OrderPlaced(1));
        outbox.start();
        awaitLatch(closed);
        assertThat(outbox.runtime().isRunning()).isFalse();
    }
}
