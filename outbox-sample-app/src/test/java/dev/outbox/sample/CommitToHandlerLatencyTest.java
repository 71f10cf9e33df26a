package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxPublisher;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Measures how long after a commit a handler in the same JVM is entered, at a steady 200 events per second on the embedded
 * server, which commits durably. Prints the figures; asserts only that every event arrived, for a busy machine is no failure.
 */
@Tag("full")
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
@DirtiesContext
class CommitToHandlerLatencyTest {

    private static final int WARM_UP = 500;
    private static final int MEASURED = 500;
    private static final Duration PACE = Duration.ofMillis(5);

    @Autowired
    private Stopwatch stopwatch;

    @Autowired
    private OutboxPublisher outbox;

    @Autowired
    private TransactionTemplate transaction;

    @Test
    void everyEventArrives() throws InterruptedException {
        long begun = System.nanoTime();
        for (int number = 0; number < WARM_UP + MEASURED; number++) {
            awaitTurn(begun + number * PACE.toNanos());
            publish(number);
        }

        assertThat(stopwatch.arrived.await(30, TimeUnit.SECONDS)).isTrue();

        long[] latencies = stopwatch.latencies();
        System.out.printf(
                "Commit to handler, %d events at %d/s: p50 %s, p95 %s, p99 %s, max %s%n",
                MEASURED,
                Duration.ofSeconds(1).dividedBy(PACE),
                millis(latencies, 0.50),
                millis(latencies, 0.95),
                millis(latencies, 0.99),
                millis(latencies, 1.00));
    }

    private void publish(int number) {
        transaction.executeWithoutResult((status) -> {
            // Registered before the publisher registers its own: the clock starts before the poller is woken.
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    stopwatch.committed(number);
                }
            });
            outbox.publish("probe", Integer.toString(number), new ProbeSent(number));
        });
    }

    private static void awaitTurn(long turn) {
        for (long left = turn - System.nanoTime(); left > 0; left = turn - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static String millis(long[] sorted, double percentile) {
        int index = (int) Math.ceil(percentile * sorted.length) - 1;
        return "%.2f ms".formatted(sorted[index] / 1e6);
    }

    record ProbeSent(int number) {}

    /** The outbox and nothing of the service. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Setup {

        @Bean
        Stopwatch stopwatch() {
            return new Stopwatch();
        }

        @Bean
        HandlerDefinition probe(Stopwatch stopwatch) {
            return HandlerDefinition.of(
                    "latency.probe", ProbeSent.class, (probe, envelope) -> stopwatch.entered(probe.number()));
        }
    }

    static final class Stopwatch {

        private final AtomicLongArray committed = new AtomicLongArray(WARM_UP + MEASURED);
        private final AtomicLongArray entered = new AtomicLongArray(WARM_UP + MEASURED);
        private final CountDownLatch arrived = new CountDownLatch(WARM_UP + MEASURED);

        void committed(int number) {
            committed.set(number, System.nanoTime());
        }

        void entered(int number) {
            if (entered.compareAndSet(number, 0, System.nanoTime())) {
                arrived.countDown();
            }
        }

        /** The latencies after the warm-up, in nanoseconds, the shortest first. */
        long[] latencies() {
            long[] latencies = new long[MEASURED];
            Arrays.setAll(latencies, (index) -> entered.get(WARM_UP + index) - committed.get(WARM_UP + index));
            Arrays.sort(latencies);
            return latencies;
        }
    }
}
