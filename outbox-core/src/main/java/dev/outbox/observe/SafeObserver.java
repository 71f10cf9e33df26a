package dev.outbox.observe;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes everything on, and keeps what the observer throws from the one that reports. */
public final class SafeObserver implements OutboxObserver {

    private static final Logger log = LoggerFactory.getLogger(SafeObserver.class);

    private final OutboxObserver observer;

    /**
     * Wraps an observer.
     *
     * @param observer the observer
     */
    public SafeObserver(OutboxObserver observer) {
        this.observer = observer;
    }

    @Override
    public void published(String stream, int events) {
        safely(() -> observer.published(stream, events));
    }

    @Override
    public void unrouted(String stream) {
        safely(() -> observer.unrouted(stream));
    }

    @Override
    public void handled(Attempt attempt, Result result, Duration duration) {
        safely(() -> observer.handled(attempt, result, duration));
    }

    @Override
    public void deduplicated(String stream, String handlerId) {
        safely(() -> observer.deduplicated(stream, handlerId));
    }

    @Override
    public void replayed(String stream, String handlerId, int deliveries) {
        safely(() -> observer.replayed(stream, handlerId, deliveries));
    }

    @Override
    public void circuitOpened(String stream, String handlerId) {
        safely(() -> observer.circuitOpened(stream, handlerId));
    }

    @Override
    public void delivered(String stream, Duration lag) {
        safely(() -> observer.delivered(stream, lag));
    }

    @Override
    public void completed(String stream, int retries) {
        safely(() -> observer.completed(stream, retries));
    }

    @Override
    public void claimed(String stream, Duration duration, int events) {
        safely(() -> observer.claimed(stream, duration, events));
    }

    @Override
    public void settled(String stream, Duration duration, int events) {
        safely(() -> observer.settled(stream, duration, events));
    }

    @Override
    public void leaseLost(String stream) {
        safely(() -> observer.leaseLost(stream));
    }

    private static void safely(Runnable report) {
        try {
            report.run();
        } catch (RuntimeException | LinkageError ex) {
            log.debug("an observer failed", ex);
        }
    }
}
