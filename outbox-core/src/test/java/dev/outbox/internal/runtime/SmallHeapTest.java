package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.RetryAfterException;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.fixture.WorkerProcess;
import dev.outbox.internal.poll.PollerSettings;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A worker whose batch size allows for far more payload than its heap holds. {@code -Dlarge.events=1000 -Dlarge.heap=256m} makes it larger.
 */
@Tag("full")
class SmallHeapTest {

    private static final int EVENTS = Integer.getInteger("large.events", 100);
    private static final String HEAP = System.getProperty("large.heap", "80m");
    private static final int BYTES = 1_000_000;

    record Text(String text) {}

    @Test
    void deliversAndRedeliversMorePayloadThanTheHeapHolds() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            String[] texts = {text(1), text(2), text(3)};
            for (int number = 0; number < EVENTS; number++) {
                outbox.publish("" + number, new Text(texts[number % texts.length]));
            }
            try (WorkerProcess worker = WorkerProcess.startWithHeap(HEAP, outbox, Worker.class)) {
                assertThat(worker.hear()).isEqualTo("started");
                long begun = System.nanoTime();
                await().atMost(Duration.ofMinutes(5)).until(() -> outbox.published() == EVENTS);
                System.out.println("SmallHeapTest: " + EVENTS + " events of 1 MB, each delivered twice, with a heap of "
                        + HEAP + " in "
                        + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
            }
            assertThat(outbox.values(Integer.class, "SELECT DISTINCT retry_count FROM events.outbox_published"))
                    .containsExactly(1);
        }
    }

    /** Compresses to half its size, like much JSON. */
    private static String text(int seed) {
        return new Random(seed)
                .ints(BYTES, 'a', 'q')
                .mapToObj((letter) -> String.valueOf((char) letter))
                .collect(Collectors.joining());
    }

    /** Fails each event once. */
    static final class Worker {

        private Worker() {}

        public static void main(String[] arguments) throws InterruptedException {
            Set<Long> seen = ConcurrentHashMap.newKeySet();
            WorkerProcess.work(
                    WorkerProcess.database(arguments),
                    HandlerDefinition.of("any", Set.of("*"), (envelope) -> handle(envelope, seen)),
                    new PollerSettings(Duration.ofMillis(100), 1000, WorkerProcess.LEASE, Duration.ZERO));
            WorkerProcess.say("started");
            new CountDownLatch(1).await();
        }

        private static void handle(EventEnvelope envelope, Set<Long> seen) {
            if (seen.add(envelope.id())) {
                throw new RetryAfterException(Duration.ofMillis(100), "once more");
            }
        }
    }
}
