package dev.outbox.chaos.process;

import dev.outbox.listener.OutboxListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Listener that throws an error at times, wherever the library calls it. */
final class HostileListener implements OutboxListener {

    private static final int SELDOM = 2000;

    private final AtomicLong calls = new AtomicLong();

    @Override
    public void handled(Attempt attempt, Result result, Duration duration) {
        failSeldom();
    }

    @Override
    public void completed(String stream, int retries) {
        failSeldom();
    }

    @Override
    public void claimed(String stream, Duration duration, int events) {
        failSeldom();
    }

    @Override
    public void settled(String stream, Duration duration, int events) {
        failSeldom();
    }

    private void failSeldom() {
        if (calls.incrementAndGet() % SELDOM == 0) {
            throw new AssertionError("The listener fails in one call in " + SELDOM);
        }
    }
}
