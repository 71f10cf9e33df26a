package dev.outbox.spring.autoconfigure;

import dev.outbox.observe.OutboxObserver;
import dev.outbox.observe.SafeObserver;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.util.function.SingletonSupplier;

/** Tells all observer beans, each safe from the others. They are created when the first thing happens, not before. */
final class CompositeObserver implements OutboxObserver {

    private final SingletonSupplier<List<OutboxObserver>> observers;

    CompositeObserver(Supplier<Stream<OutboxObserver>> observers) {
        this.observers = SingletonSupplier.of(
                () -> observers.get().<OutboxObserver>map(SafeObserver::new).toList());
    }

    @Override
    public void published(String stream, int events) {
        tell((observer) -> observer.published(stream, events));
    }

    @Override
    public void unrouted(String stream) {
        tell((observer) -> observer.unrouted(stream));
    }

    @Override
    public void handled(Attempt attempt, Result result, Duration duration) {
        tell((observer) -> observer.handled(attempt, result, duration));
    }

    @Override
    public void deduplicated(String stream, String handlerId) {
        tell((observer) -> observer.deduplicated(stream, handlerId));
    }

    @Override
    public void replayed(String stream, String handlerId, int deliveries) {
        tell((observer) -> observer.replayed(stream, handlerId, deliveries));
    }

    @Override
    public void circuitOpened(String stream, String handlerId) {
        tell((observer) -> observer.circuitOpened(stream, handlerId));
    }

    @Override
    public void delivered(String stream, Duration lag) {
        tell((observer) -> observer.delivered(stream, lag));
    }

    @Override
    public void completed(String stream, int retries) {
        tell((observer) -> observer.completed(stream, retries));
    }

    @Override
    public void claimed(String stream, Duration duration, int events) {
        tell((observer) -> observer.claimed(stream, duration, events));
    }

    @Override
    public void settled(String stream, Duration duration, int events) {
        tell((observer) -> observer.settled(stream, duration, events));
    }

    @Override
    public void leaseLost(String stream) {
        tell((observer) -> observer.leaseLost(stream));
    }

    private void tell(Consumer<OutboxObserver> news) {
        observers.obtain().forEach(news);
    }
}
