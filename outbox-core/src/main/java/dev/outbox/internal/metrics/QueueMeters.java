package dev.outbox.internal.metrics;

import dev.outbox.internal.inspect.QueueGauges;
import dev.outbox.operations.OutboxOverview.Backlog;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Gauges of the events in a queue. They are NaN, never 0, while the database cannot be asked. */
final class QueueMeters {

    private final MeterRegistry registry;
    private final QueueGauges gauges;

    QueueMeters(MeterRegistry registry, QueueGauges gauges) {
        this.registry = registry;
        this.gauges = gauges;
    }

    /** Registers the gauges of a stream. */
    void register(String stream) {
        String events = "events";
        gauge(stream, "outbox.pending", events, "Events that wait for their first delivery", Backlog::pending);
        gauge(stream, "outbox.processing", events, "Events in a live claim", Backlog::processing);
        gauge(
                stream,
                "outbox.retrying",
                events,
                "Events with open deliveries after the first delivery",
                Backlog::retrying);
        gauge(stream, "outbox.dead", events, "Events with a dead letter", Backlog::dead);
        gauge(
                stream,
                "outbox.lanes.blocked",
                null,
                "Lanes that a dead letter blocks until an operator decides",
                Backlog::blockedLanes);
        String seconds = "seconds";
        gauge(
                stream,
                "outbox.oldest.pending",
                seconds,
                "Age of the oldest event whose first delivery has not ended",
                (counts) -> seconds(counts.oldestPending()));
        gauge(
                stream,
                "outbox.oldest.retrying",
                seconds,
                "Age of the oldest event that waits for a retry or behind one",
                (counts) -> seconds(counts.oldestRetrying()));
    }

    private void gauge(
            String stream, String name, @Nullable String unit, String description, ToDoubleFunction<Backlog> value) {
        Gauge.builder(
                        name,
                        gauges,
                        (all) -> all.current(stream).map(value::applyAsDouble).orElse(Double.NaN))
                .description(description)
                .baseUnit(unit)
                .tag("stream", stream)
                .register(registry);
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
