package dev.outbox.internal.metrics;

import dev.outbox.internal.gauges.QueueGauges;
import dev.outbox.internal.gauges.QueueState;
import dev.outbox.internal.gauges.QueueState.Handler;
import dev.outbox.internal.gauges.QueueState.Stream;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Gauges of streams, handlers and the database. They are NaN, never 0, while the database cannot be asked. */
final class QueueMeters {

    private final MeterRegistry registry;
    private final QueueGauges gauges;

    QueueMeters(MeterRegistry registry, QueueGauges gauges) {
        this.registry = registry;
        this.gauges = gauges;
    }

    /** Registers the gauge of the database. */
    void registerDatabase() {
        gauge(
                "outbox.replication.lag",
                Tags.empty(),
                "bytes",
                "Log that the last standby has yet to replay",
                () -> gauges.all().map(QueueState::replicationLag).map(Long::doubleValue));
    }

    /** Registers the gauges of a stream. */
    void register(String stream) {
        String events = "events";
        gauge(
                stream,
                "outbox.pending",
                events,
                "Events that wait for their first delivery",
                (counts) -> counts.pending().value());
        gauge(
                stream,
                "outbox.processing",
                events,
                "Events in a live claim, or leased and not failed",
                (counts) -> counts.processing().value());
        gauge(
                stream,
                "outbox.retrying",
                events,
                "Other events with open deliveries after the first delivery",
                (counts) -> counts.retrying().value());
        gauge(
                stream,
                "outbox.retrying.failures",
                null,
                "How often handlers failed for the events with open deliveries",
                Stream::failures);
        gauge(
                stream,
                "outbox.retrying.paused",
                events,
                "Events that only pauses of handlers keep from delivery",
                Stream::held);
        gauge(
                stream,
                "outbox.dead",
                "deliveries",
                "Dead letters, also of events that another handler still retries",
                (counts) -> counts.dead().value());
        gauge(
                stream,
                "outbox.lanes.blocked",
                null,
                "Lanes that a dead letter blocks until an operator decides",
                (counts) -> counts.blockedLanes().value());
        gauge(
                stream,
                "outbox.stream.paused",
                null,
                "Whether an operator paused a stream",
                (state) -> state.paused() ? 1 : 0);
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
                "Time that the oldest delivery has waited since it was queued or retried by an operator",
                (counts) -> seconds(counts.oldestRetrying()));
        gauge(
                stream,
                "outbox.scheduled",
                events,
                "Events that are due later",
                (counts) -> counts.scheduled().value());
        gauge(
                stream,
                "outbox.scheduled.overdue",
                seconds,
                "Time since the oldest scheduled event was due",
                (counts) -> seconds(counts.overdue()));
    }

    /** Registers the gauges of a handler of this instance: a handler that no instance has is none of an alert's. */
    void registerHandler(String id) {
        ofHandler(
                id,
                "outbox.handler.dead",
                "deliveries",
                "Dead letters of a handler",
                (handler) -> handler.dead().value());
        ofHandler(
                id,
                "outbox.handler.oldest",
                "seconds",
                "Time that the oldest open delivery of a handler, without paused streams, has waited since it was queued or retried",
                (handler) -> seconds(handler.lagOfRunningStreams()));
        ofHandler(
                id,
                "outbox.handler.paused",
                null,
                "Whether an operator paused a handler",
                (handler) -> handler.paused() ? 1 : 0);
    }

    private void ofHandler(
            String id, String name, @Nullable String unit, String description, ToDoubleFunction<Handler> value) {
        gauge(
                name,
                Tags.of("handler", id),
                unit,
                description,
                () -> gauges.handler(id).map(value::applyAsDouble));
    }

    private void gauge(
            String stream, String name, @Nullable String unit, String description, ToDoubleFunction<Stream> value) {
        gauge(
                name,
                Tags.of("stream", stream),
                unit,
                description,
                () -> gauges.stream(stream).map(value::applyAsDouble));
    }

    private void gauge(
            String name, Tags tags, @Nullable String unit, String description, Supplier<Optional<Double>> value) {
        Gauge.builder(name, gauges, (all) -> value.get().orElse(Double.NaN))
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
