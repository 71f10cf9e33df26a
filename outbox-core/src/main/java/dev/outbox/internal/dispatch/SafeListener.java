package dev.outbox.internal.dispatch;

import dev.outbox.listener.OutboxListener;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes everything on, and keeps what the listener throws from the one that reports. */
public final class SafeListener implements OutboxListener {

    private static final Logger log = LoggerFactory.getLogger(SafeListener.class);

    private final OutboxListener listener;

    /** Wraps an listener. */
    public SafeListener(OutboxListener listener) {
        this.listener = listener;
    }

    @Override
    public void published(String stream, int events) {
        safely(() -> listener.published(stream, events));
    }

    @Override
    public void unrouted(String stream) {
        safely(() -> listener.unrouted(stream));
    }

    @Override
    public void handled(Attempt attempt, Result result, Duration duration) {
        safely(() -> listener.handled(attempt, result, duration));
    }

    @Override
    public void deduplicated(String stream, String handlerId) {
        safely(() -> listener.deduplicated(stream, handlerId));
    }

    @Override
    public void replayed(String stream, String handlerId, int deliveries) {
        safely(() -> listener.replayed(stream, handlerId, deliveries));
    }

    @Override
    public void circuitOpened(String stream, String handlerId) {
        safely(() -> listener.circuitOpened(stream, handlerId));
    }

    @Override
    public void delivered(String stream, Duration lag) {
        safely(() -> listener.delivered(stream, lag));
    }

    @Override
    public void completed(String stream, int retries) {
        safely(() -> listener.completed(stream, retries));
    }

    @Override
    public void claimed(String stream, Duration duration, int events) {
        safely(() -> listener.claimed(stream, duration, events));
    }

    @Override
    public void settled(String stream, Duration duration, int events) {
        safely(() -> listener.settled(stream, duration, events));
    }

    @Override
    public void leaseLost(String stream) {
        safely(() -> listener.leaseLost(stream));
    }

    private static void safely(Runnable report) {
        try {
            report.run();
        } catch (RuntimeException | LinkageError ex) {
            log.debug("an listener failed", ex);
        }
    }
}
