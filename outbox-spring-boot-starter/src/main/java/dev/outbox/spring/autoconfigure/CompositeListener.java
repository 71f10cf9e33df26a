package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.dispatch.SafeListener;
import dev.outbox.listener.OutboxListener;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.util.function.SingletonSupplier;

/** Tells all listener beans, each safe from the others. They are created when the first thing happens, not before. */
final class CompositeListener implements OutboxListener {

    private final SingletonSupplier<List<OutboxListener>> listeners;

    CompositeListener(Supplier<Stream<OutboxListener>> listeners) {
        this.listeners = SingletonSupplier.of(
                () -> listeners.get().<OutboxListener>map(SafeListener::new).toList());
    }

    @Override
    public void published(String stream, int events) {
        tell((listener) -> listener.published(stream, events));
    }

    @Override
    public void unrouted(String stream) {
        tell((listener) -> listener.unrouted(stream));
    }

    @Override
    public void handled(Attempt attempt, Result result, Duration duration) {
        tell((listener) -> listener.handled(attempt, result, duration));
    }

    @Override
    public void deduplicated(String stream, String handlerId) {
        tell((listener) -> listener.deduplicated(stream, handlerId));
    }

    @Override
    public void replayed(String stream, String handlerId, int deliveries) {
        tell((listener) -> listener.replayed(stream, handlerId, deliveries));
    }

    @Override
    public void circuitOpened(String stream, String handlerId) {
        tell((listener) -> listener.circuitOpened(stream, handlerId));
    }

    @Override
    public void delivered(String stream, Duration lag) {
        tell((listener) -> listener.delivered(stream, lag));
    }

    @Override
    public void completed(String stream, int retries) {
        tell((listener) -> listener.completed(stream, retries));
    }

    @Override
    public void claimed(String stream, Duration duration, int events) {
        tell((listener) -> listener.claimed(stream, duration, events));
    }

    @Override
    public void settled(String stream, Duration duration, int events) {
        tell((listener) -> listener.settled(stream, duration, events));
    }

    @Override
    public void leaseLost(String stream) {
        tell((listener) -> listener.leaseLost(stream));
    }

    private void tell(Consumer<OutboxListener> news) {
        listeners.obtain().forEach(news);
    }
}
