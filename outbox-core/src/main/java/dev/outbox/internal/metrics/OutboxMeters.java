package dev.outbox.internal.metrics;

import dev.outbox.internal.store.StatusStore.Counts;
import dev.outbox.listener.OutboxListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Counts and times what happens to events. Streams, event types, handlers and results are tags; ids never are. */
public final class OutboxMeters implements OutboxListener {

    private static final String STREAM = "stream";

    private final MeterRegistry registry;

    // Of what is counted for every event: to find a meter in the registry takes longer than to count.
    private final Map<String, Counter> published = new ConcurrentHashMap<>();
    private final Map<Handled, Counter> processed = new ConcurrentHashMap<>();
    private final Map<Attempt, Timer> durations = new ConcurrentHashMap<>();
    private final Map<String, Timer> lags = new ConcurrentHashMap<>();
    private final Map<String, DistributionSummary> retryCounts = new ConcurrentHashMap<>();

    private record Handled(String stream, String handlerId, Result result) {}

    public OutboxMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Registers the gauges of a stream. They are NaN while the database cannot be asked. */
    public void registerGauges(String stream, QueueGauges gauges) {
        gauge(stream, gauges, "outbox.pending", "Events that wait for their first delivery", Counts::pending);
        gauge(stream, gauges, "outbox.processing", "Events in a live claim", Counts::processing);
        gauge(
                stream,
                gauges,
                "outbox.retrying",
                "Events with open deliveries after the first delivery",
                Counts::retrying);
        gauge(stream, gauges, "outbox.dead", "Events with a dead letter", Counts::dead);
        age(
                stream,
                gauges,
                "outbox.oldest.pending",
                "Age of the oldest event whose first delivery has not ended",
                Counts::oldestPending);
        age(
                stream,
                gauges,
                "outbox.oldest.retrying",
                "Age of the oldest event that waits for a retry or behind one",
                Counts::oldestRetrying);
    }

    /** Registers the gauge of handlers that hang. It asks no database. */
    public void registerStuckHandlers(String stream, Supplier<Number> stuck) {
        Gauge.builder("outbox.handlers.stuck", stuck)
                .description(
                        "Handlers of this instance that run for longer than a lease, or ignore the interrupt at their timeout")
                .baseUnit("handlers")
                .tag(STREAM, stream)
                .register(registry);
    }

    private void gauge(
            String stream, QueueGauges gauges, String name, String description, ToDoubleFunction<Counts> value) {
        Gauge.builder(name, gauges, (all) -> value(all, stream, value))
                .description(description)
                .baseUnit("events")
                .tag(STREAM, stream)
                .register(registry);
    }

    private void age(
            String stream, QueueGauges gauges, String name, String description, Function<Counts, Duration> age) {
        Gauge.builder(name, gauges, (all) -> value(all, stream, (counts) -> seconds(age.apply(counts))))
                .description(description)
                .baseUnit("seconds")
                .tag(STREAM, stream)
                .register(registry);
    }

    private static double value(QueueGauges gauges, String stream, ToDoubleFunction<Counts> value) {
        return gauges.current(stream).map(value::applyAsDouble).orElse(Double.NaN);
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    @Override
    public void published(String stream, int events) {
        published
                .computeIfAbsent(
                        stream,
                        (key) -> Counter.builder("outbox.published")
                                .description("Events stored by committed transactions")
                                .tag(STREAM, key)
                                .register(registry))
                .increment(events);
    }

    @Override
    public void unrouted(String stream) {
        Counter.builder("outbox.unrouted")
                .description("Events without subscribers")
                .tag(STREAM, stream)
                .register(registry)
                .increment();
    }

    @Override
    public void handled(Attempt attempt, Result result, Duration duration) {
        Handled key = new Handled(attempt.stream(), attempt.handlerId(), result);
        processed.computeIfAbsent(key, this::processed).increment();
        durations.computeIfAbsent(attempt, this::duration).record(duration);
    }

    private Counter processed(Handled key) {
        return Counter.builder("outbox.processed")
                .description("Attempts of handlers")
                .tags(STREAM, key.stream(), "handler", key.handlerId())
                .tag("result", key.result().name().toLowerCase(Locale.ROOT))
                .register(registry);
    }

    private Timer duration(Attempt attempt) {
        return Timer.builder("outbox.handler.duration")
                .description("Run time of handlers")
                .tags(Tags.of(
                        STREAM, attempt.stream(), "event_type", attempt.eventType(), "handler", attempt.handlerId()))
                .register(registry);
    }

    @Override
    public void deduplicated(String stream, String handlerId) {
        Counter.builder("outbox.deduplicated")
                .description("Events that a deduplicating handler received again and did not process twice")
                .tags(STREAM, stream, "handler", handlerId)
                .register(registry)
                .increment();
    }

    @Override
    public void replayed(String stream, String handlerId, int deliveries) {
        Counter.builder("outbox.replayed")
                .description("Deliveries that replays added")
                .tags(STREAM, stream, "handler", handlerId)
                .register(registry)
                .increment(deliveries);
    }

    @Override
    public void circuitOpened(String stream, String handlerId) {
        Counter.builder("outbox.circuit.opened")
                .description("How often the circuit of a handler opened")
                .tags(STREAM, stream, "handler", handlerId)
                .register(registry)
                .increment();
    }

    @Override
    public void delivered(String stream, Duration lag) {
        lags.computeIfAbsent(
                        stream,
                        (name) -> timer(
                                "outbox.delivery.lag", "Time from an event's occurrence to a handler's success", name))
                .record(lag);
    }

    @Override
    public void completed(String stream, int retries) {
        retryCounts.computeIfAbsent(stream, this::retryCount).record(retries);
    }

    private DistributionSummary retryCount(String stream) {
        return DistributionSummary.builder("outbox.retry.count")
                .description("How often handlers failed, per finished event")
                .tag(STREAM, stream)
                .register(registry);
    }

    @Override
    public void claimed(String stream, Duration duration, int events) {
        timer("outbox.claim", "Time to claim a batch", stream).record(duration);
    }

    @Override
    public void settled(String stream, Duration duration, int events) {
        timer("outbox.settle", "Time to write outcomes", stream).record(duration);
    }

    @Override
    public void released(String stream, Duration held) {
        timer("outbox.claim.held", "Time from a claim to its release", stream).record(held);
    }

    @Override
    public void leaseLost(String stream) {
        Counter.builder("outbox.lease.lost")
                .description("Leases that workers found lost")
                .tag(STREAM, stream)
                .register(registry)
                .increment();
    }

    private Timer timer(String name, String description, String stream) {
        return Timer.builder(name).description(description).tag(STREAM, stream).register(registry);
    }
}
