package dev.outbox.chaos.process;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.springframework.context.SmartLifecycle;

/** Publishes traffic at a rate, on a thread of its own, while the application runs. */
final class Publishing implements SmartLifecycle {

    private static final Duration IDLE = Duration.ofMillis(10);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Publisher publisher;
    private final Traffic traffic;
    private final Thread thread = new Thread(this::run, "publisher");
    private volatile long rate;
    private volatile boolean stopped;

    Publishing(Publisher publisher, Traffic traffic) {
        this.publisher = publisher;
        this.traffic = traffic;
    }

    void atRate(long transactionsPerSecond) {
        rate = transactionsPerSecond;
    }

    private void run() {
        long next = System.nanoTime();
        while (!stopped) {
            long now = System.nanoTime();
            if (rate == 0 || now < next) {
                LockSupport.parkNanos(rate == 0 ? IDLE.toNanos() : next - now);
                continue;
            }
            next = Math.max(next, now - SECOND) + SECOND / rate;
            publisher.publish(traffic.next());
        }
    }

    @Override
    public void start() {
        thread.start();
    }

    /** Returns when the last transaction has ended. */
    @Override
    public void stop() {
        stopped = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return thread.isAlive();
    }
}
