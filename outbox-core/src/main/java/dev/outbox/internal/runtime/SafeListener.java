package dev.outbox.internal.runtime;

import dev.outbox.internal.failure.Redaction;
import dev.outbox.listener.OutboxListener;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.function.SingletonSupplier;

/** Notifies several listeners, so that nothing that one throws reaches the others or the delivery. */
final class SafeListener implements OutboxListener {

    private static final Logger log = LoggerFactory.getLogger(SafeListener.class);

    private final SingletonSupplier<List<OutboxListener>> listeners;

    /** Asks for the listeners with the first notification, since a listener may itself depend on the publisher. */
    SafeListener(Supplier<Stream<OutboxListener>> listeners) {
        this.listeners = SingletonSupplier.of(() -> listeners.get().toList());
    }

    @Override
    public void published(String stream, int events) {
        each((listener) -> listener.published(stream, events));
    }

    @Override
    public void unrouted(String stream) {
        each((listener) -> listener.unrouted(stream));
    }

    @Override
    public void handled(Attempt attempt, Result result, Duration duration) {
        each((listener) -> listener.handled(attempt, result, duration));
    }

    @Override
    public void deduplicated(String stream, String handlerId) {
        each((listener) -> listener.deduplicated(stream, handlerId));
    }

    @Override
    public void circuitOpened(String stream, String handlerId) {
        each((listener) -> listener.circuitOpened(stream, handlerId));
    }

    @Override
    public void delivered(String stream, Duration lag) {
        each((listener) -> listener.delivered(stream, lag));
    }

    @Override
    public void skipped(String stream, String handlerId, UUID eventId) {
        each((listener) -> listener.skipped(stream, handlerId, eventId));
    }

    @Override
    public void completed(String stream, int retries) {
        each((listener) -> listener.completed(stream, retries));
    }

    @Override
    public void claimed(String stream, Duration duration, int events) {
        each((listener) -> listener.claimed(stream, duration, events));
    }

    @Override
    public void settled(String stream, Duration duration, int events) {
        each((listener) -> listener.settled(stream, duration, events));
    }

    @Override
    public void released(String stream, Duration held) {
        each((listener) -> listener.released(stream, held));
    }

    @Override
    public void leaseLost(String stream) {
        each((listener) -> listener.leaseLost(stream));
    }

    private void each(Consumer<OutboxListener> notification) {
        safely(() -> listeners.obtain().forEach((listener) -> safely(() -> notification.accept(listener))));
    }

    private static void safely(Runnable notification) {
        try {
            notification.run();
        } catch (Throwable ex) {
            log.debug("A listener failed", Redaction.loggable(ex));
        }
    }
}
