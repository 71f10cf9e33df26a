package dev.outbox.internal.metrics;

import dev.outbox.internal.gauges.QueueGauges;
import dev.outbox.listener.OutboxListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
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
    private static final String HANDLER = "handler";

    private final MeterRegistry registry;
    private final Supplier<Set<String>> openCircuits;
    private final Set<String> circuits = ConcurrentHashMap.newKeySet();
    private final MeterProvider<Counter> published;
    private final MeterProvider<Counter> unrouted;
    private final MeterProvider<Counter> processed;
    private final MeterProvider<Timer> durations;
    private final MeterProvider<Counter> deduplicated;
    private final MeterProvider<Counter> opened;
    private final MeterProvider<Timer> lags;
    private final MeterProvider<DistributionSummary> retries;
    private final MeterProvider<Timer> claims;
    private final MeterProvider<Timer> settlements;
    private final MeterProvider<Timer> claimsHeld;
    private final MeterProvider<Counter> leasesLost;

    // Of what is counted for every event: to find a meter in the registry takes longer than to count.
    private final Map<Handled, Counter> processedBy = new ConcurrentHashMap<>();
    private final Map<Attempt, Timer> durationOf = new ConcurrentHashMap<>();
    private final Map<String, Timer> lagOf = new ConcurrentHashMap<>();
    private final Map<String, DistributionSummary> retriesOf = new ConcurrentHashMap<>();

    private record Handled(String stream, String handlerId, Result result) {}

    /** Creates meters. The supplier returns the ids of this instance's handlers whose circuit is open. */
    public OutboxMeters(MeterRegistry registry, Supplier<Set<String>> openCircuits) {
        this.registry = registry;
        this.openCircuits = openCircuits;
        this.published = counters("outbox.published", "Events stored by committed transactions");
        this.unrouted = counters("outbox.unrouted", "Events without subscribers");
        this.processed = counters("outbox.processed", "Attempts of handlers");
        this.durations = timers("outbox.handler.duration", "Run time of handlers");
        this.deduplicated = counters(
                "outbox.deduplicated", "Events that a deduplicating handler received again and did not process twice");
        this.opened = counters("outbox.circuit.opened", "How often the circuit of a handler opened");
        this.lags = timers("outbox.delivery.lag", "Time from an event's occurrence to a handler's success");
        this.retries = DistributionSummary.builder("outbox.retry.count")
                .description("How often handlers failed, per finished event")
                .withRegistry(registry);
        this.claims = timers("outbox.claim", "Time to claim a batch");
        this.settlements = timers("outbox.settle", "Time to write outcomes");
        this.claimsHeld = timers("outbox.claim.held", "Time from a claim to its release");
        this.leasesLost = counters("outbox.lease.lost", "Leases that workers found lost");
    }

    private MeterProvider<Counter> counters(String name, String description) {
        return Counter.builder(name).description(description).withRegistry(registry);
    }

    private MeterProvider<Timer> timers(String name, String description) {
        return Timer.builder(name).description(description).withRegistry(registry);
    }

    /** Registers the gauges of a stream, and what alerts compare over time: what begins above 0 has no increase. */
    public static void register(MeterRegistry registry, String stream, QueueGauges gauges, Supplier<Number> stuck) {
        OutboxMeters meters = new OutboxMeters(registry, Set::of);
        meters.unrouted.withTag(STREAM, stream);
        meters.leasesLost.withTag(STREAM, stream);
        meters.retries.withTag(STREAM, stream);
        Gauge.builder("outbox.handlers.stuck", stuck)
                .description(
                        "Handlers of this instance that run for longer than a lease, or ignore the interrupt at their timeout")
                .baseUnit("handlers")
                .tag(STREAM, stream)
                .register(registry);
        new QueueMeters(registry, gauges).register(stream);
    }

    /** Registers the gauge of the database. */
    public static void registerDatabase(MeterRegistry registry, QueueGauges gauges) {
        new QueueMeters(registry, gauges).registerDatabase();
    }

    /** Registers the gauges of a handler of this instance. */
    public static void registerHandler(MeterRegistry registry, String handlerId, QueueGauges gauges) {
        new QueueMeters(registry, gauges).registerHandler(handlerId);
    }

    @Override
    public void published(String stream, int events) {
        published.withTag(STREAM, stream).increment(events);
    }

    @Override
    public void unrouted(String stream) {
        unrouted.withTag(STREAM, stream).increment();
    }

    @Override
    public void handled(Attempt attempt, Result result, Duration duration) {
        processedBy
                .computeIfAbsent(new Handled(attempt.stream(), attempt.handlerId(), result), this::processed)
                .increment();
        durationOf.computeIfAbsent(attempt, this::duration).record(duration);
    }

    private Counter processed(Handled key) {
        String result = key.result().name().toLowerCase(Locale.ROOT);
        return processed.withTags(STREAM, key.stream(), HANDLER, key.handlerId(), "result", result);
    }

    private Timer duration(Attempt attempt) {
        return durations.withTags(
                STREAM, attempt.stream(), "event_type", attempt.eventType(), HANDLER, attempt.handlerId());
    }

    @Override
    public void deduplicated(String stream, String handlerId) {
        deduplicated.withTags(STREAM, stream, HANDLER, handlerId).increment();
    }

    @Override
    public void circuitOpened(String stream, String handlerId) {
        opened.withTags(STREAM, stream, HANDLER, handlerId).increment();
        if (circuits.add(handlerId)) {
            registerCircuit(handlerId);
        }
    }

    /** One series per handler whose circuit has opened, and none for the many that have no circuit. */
    private void registerCircuit(String handlerId) {
        Gauge.builder("outbox.circuits.open", openCircuits, (open) -> open.get().contains(handlerId) ? 1 : 0)
                .description("Whether the circuit of a handler of this instance is open")
                .tag(HANDLER, handlerId)
                .strongReference(true)
                .register(registry);
    }

    @Override
    public void delivered(String stream, Duration lag) {
        lagOf.computeIfAbsent(stream, (key) -> lags.withTag(STREAM, key)).record(lag);
    }

    @Override
    public void completed(String stream, int failures) {
        retriesOf.computeIfAbsent(stream, (key) -> retries.withTag(STREAM, key)).record(failures);
    }

    @Override
    public void claimed(String stream, Duration duration, int events) {
        claims.withTag(STREAM, stream).record(duration);
    }

    @Override
    public void settled(String stream, Duration duration, int events) {
        settlements.withTag(STREAM, stream).record(duration);
    }

    @Override
    public void released(String stream, Duration held) {
        claimsHeld.withTag(STREAM, stream).record(held);
    }

    @Override
    public void leaseLost(String stream) {
        leasesLost.withTag(STREAM, stream).increment();
    }
}
