package dev.outbox.internal.metrics;

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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Counts and times what happens to events. Streams, event types, handlers and results are tags; ids never are. */
public final class OutboxMeters implements OutboxListener {

    private static final String STREAM = "stream";

    private final MeterRegistry registry;
    private final Supplier<Set<String>> openCircuits;

    // Of what is counted for every event: to find a meter in the registry takes longer than to count.
    private final Map<String, Counter> published = new ConcurrentHashMap<>();
    private final Map<Handled, Counter> processed = new ConcurrentHashMap<>();
    private final Map<Attempt, Timer> durations = new ConcurrentHashMap<>();
    private final Map<String, Timer> lags = new ConcurrentHashMap<>();
    private final Map<String, DistributionSummary> retryCounts = new ConcurrentHashMap<>();

    private final Set<String> circuits = ConcurrentHashMap.newKeySet();

    private record Handled(String stream, String handlerId, Result result) {}

    /** Creates meters without a gauge of open circuits. */
    public OutboxMeters(MeterRegistry registry) {
        this(registry, Set::of);
    }

    /** Creates meters. The supplier returns the ids of this instance's handlers whose circuit is open. */
    public OutboxMeters(MeterRegistry registry, Supplier<Set<String>> openCircuits) {
        this.registry = registry;
        this.openCircuits = openCircuits;
    }

    /** Registers the counters of a stream that alerts watch: a counter that begins above 0 has no increase. */
    public void registerCounters(String stream) {
        unroutedCounter(stream);
        leaseLostCounter(stream);
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
        unroutedCounter(stream).increment();
    }

    private Counter unroutedCounter(String stream) {
        return Counter.builder("outbox.unrouted")
                .description("Events without subscribers")
                .tag(STREAM, stream)
                .register(registry);
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
        if (circuits.add(handlerId)) {
            registerCircuit(handlerId);
        }
    }

    /** One series per handler whose circuit has opened, and none for the many that have no circuit. */
    private void registerCircuit(String handlerId) {
        Gauge.builder("outbox.circuits.open", openCircuits, (open) -> open.get().contains(handlerId) ? 1 : 0)
                .description("Whether the circuit of a handler of this instance is open")
                .tag("handler", handlerId)
                .strongReference(true)
                .register(registry);
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
        leaseLostCounter(stream).increment();
    }

    private Counter leaseLostCounter(String stream) {
        return Counter.builder("outbox.lease.lost")
                .description("Leases that workers found lost")
                .tag(STREAM, stream)
                .register(registry);
    }

    private Timer timer(String name, String description, String stream) {
        return Timer.builder(name).description(description).tag(STREAM, stream).register(registry);
    }
}
