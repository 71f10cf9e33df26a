package dev.outbox.internal.metrics;

import dev.outbox.internal.inspect.QueueGauges;
import dev.outbox.listener.OutboxListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
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

    /** Creates meters. The supplier returns the ids of this instance's handlers whose circuit is open. */
    public OutboxMeters(MeterRegistry registry, Supplier<Set<String>> openCircuits) {
        this.registry = registry;
        this.openCircuits = openCircuits;
    }

    /** Registers the gauges of a stream, and the counters that alerts watch: a counter that begins above 0 has no increase. */
    public static void register(MeterRegistry registry, String stream, QueueGauges gauges, Supplier<Number> stuck) {
        OutboxMeters meters = new OutboxMeters(registry, Set::of);
        meters.unroutedCounter(stream);
        meters.leaseLostCounter(stream);
        Gauge.builder("outbox.handlers.stuck", stuck)
                .description(
                        "Handlers of this instance that run for longer than a lease, or ignore the interrupt at their timeout")
                .baseUnit("handlers")
                .tag(STREAM, stream)
                .register(registry);
        new QueueMeters(registry, gauges).register(stream);
    }

    /** Registers the gauges of a handler of this instance. */
    public static void registerHandler(MeterRegistry registry, String handlerId, QueueGauges gauges) {
        new QueueMeters(registry, gauges).registerHandler(handlerId);
    }

    @Override
    public void published(String stream, int events) {
        published
                .computeIfAbsent(
                        stream,
                        (key) -> counter("outbox.published", "Events stored by committed transactions", STREAM, key))
                .increment(events);
    }

    @Override
    public void unrouted(String stream) {
        unroutedCounter(stream).increment();
    }

    private Counter unroutedCounter(String stream) {
        return counter("outbox.unrouted", "Events without subscribers", STREAM, stream);
    }

    @Override
    public void handled(Attempt attempt, Result result, Duration duration) {
        Handled key = new Handled(attempt.stream(), attempt.handlerId(), result);
        processed.computeIfAbsent(key, this::processed).increment();
        durations.computeIfAbsent(attempt, this::duration).record(duration);
    }

    private Counter processed(Handled key) {
        String result = key.result().name().toLowerCase(Locale.ROOT);
        return counter(
                "outbox.processed",
                "Attempts of handlers",
                STREAM,
                key.stream(),
                "handler",
                key.handlerId(),
                "result",
                result);
    }

    private Timer duration(Attempt attempt) {
        return timer(
                "outbox.handler.duration",
                "Run time of handlers",
                STREAM,
                attempt.stream(),
                "event_type",
                attempt.eventType(),
                "handler",
                attempt.handlerId());
    }

    @Override
    public void deduplicated(String stream, String handlerId) {
        counter(
                        "outbox.deduplicated",
                        "Events that a deduplicating handler received again and did not process twice",
                        STREAM,
                        stream,
                        "handler",
                        handlerId)
                .increment();
    }

    @Override
    public void circuitOpened(String stream, String handlerId) {
        counter(
                        "outbox.circuit.opened",
                        "How often the circuit of a handler opened",
                        STREAM,
                        stream,
                        "handler",
                        handlerId)
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
                        (key) -> timer(
                                "outbox.delivery.lag",
                                "Time from an event's occurrence to a handler's success",
                                STREAM,
                                key))
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
        timer("outbox.claim", "Time to claim a batch", STREAM, stream).record(duration);
    }

    @Override
    public void settled(String stream, Duration duration, int events) {
        timer("outbox.settle", "Time to write outcomes", STREAM, stream).record(duration);
    }

    @Override
    public void released(String stream, Duration held) {
        timer("outbox.claim.held", "Time from a claim to its release", STREAM, stream)
                .record(held);
    }

    @Override
    public void leaseLost(String stream) {
        leaseLostCounter(stream).increment();
    }

    private Counter leaseLostCounter(String stream) {
        return counter("outbox.lease.lost", "Leases that workers found lost", STREAM, stream);
    }

    private Counter counter(String name, String description, String... tags) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }

    private Timer timer(String name, String description, String... tags) {
        return Timer.builder(name).description(description).tags(tags).register(registry);
    }
}
