package dev.outbox.sample.demo;

import dev.outbox.EventEnvelope;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Publishes the traffic of all contexts in turn, at a fixed rate, on its own threads and in one trace. A load that falls behind catches up,
 * so it publishes the requested number of events.
 */
final class Load {

    private static final Logger log = LoggerFactory.getLogger(Load.class);

    private static final int THREADS = 4;

    private final String traceId = UUID.randomUUID().toString().replace("-", "");
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicLong turns = new AtomicLong();
    private final AtomicLong published = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final List<Thread> threads =
            Stream.generate(() -> new Thread(this::run)).limit(THREADS).toList();
    private final List<Traffic> traffic;
    private final int rate;
    private final long asked;
    private volatile long begun;

    /**
     * Creates a load.
     *
     * @param traffic what to publish
     * @param rate events per second
     * @param seconds for how long
     */
    Load(List<Traffic> traffic, int rate, int seconds) {
        this.traffic = List.copyOf(traffic);
        this.rate = rate;
        this.asked = (long) rate * seconds;
    }

    void start() {
        begun = System.nanoTime();
        for (Thread thread : threads) {
            thread.setName("demo-load");
            thread.setDaemon(true);
            thread.start();
        }
        log.info("load {} begins: {} events, {} per second", traceId, asked, rate);
    }

    boolean isRunning() {
        return threads.stream().anyMatch(Thread::isAlive);
    }

    /** Returns the trace id of all its events. */
    String traceId() {
        return traceId;
    }

    long asked() {
        return asked;
    }

    long published() {
        return published.get();
    }

    long failed() {
        return failed.get();
    }

    /** Stops publishing, and waits for running transactions. */
    public void close() throws InterruptedException {
        stopped.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void run() {
        MDC.put(EventEnvelope.TRACE_ID, traceId);
        try {
            long turn = turns.getAndIncrement();
            while (turn < asked && !isStoppedBefore(turn)) {
                publish(turn);
                turn = turns.getAndIncrement();
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } finally {
            MDC.remove(EventEnvelope.TRACE_ID);
        }
    }

    private boolean isStoppedBefore(long turn) throws InterruptedException {
        long due = begun + turn * TimeUnit.SECONDS.toNanos(1) / rate;
        return stopped.await(due - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    private void publish(long turn) {
        try {
            traffic.get((int) (turn % traffic.size())).next();
            published.incrementAndGet();
        } catch (RuntimeException ex) {
            if (failed.getAndIncrement() == 0) {
                log.warn("load {} could not publish event {}; later failures are only counted", traceId, turn, ex);
            }
        }
    }
}
