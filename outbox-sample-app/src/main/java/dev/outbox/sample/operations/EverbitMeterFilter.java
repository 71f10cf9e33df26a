package dev.outbox.sample.operations;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Gives four meters the names and labels of the event bus document, and adds its two gauges of pending events, which include those that wait
 * for a retry. Comes after the other filters, so that it also removes the labels that these add. The dashboard and the alerts of the library
 * need its own names.
 */
@Component
@Order(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnProperty(name = "sample.metrics.names", havingValue = "everbit")
final class EverbitMeterFilter implements MeterFilter, MeterBinder {

    private static final String PREFIX = "everbit.";
    private static final String PENDING = "everbit.outbox.pending";
    private static final String OLDEST_PENDING = "everbit.outbox.oldest.pending";
    private static final String HANDLER_DURATION = "outbox.handler.duration";

    private static final double[] BUCKETS = DoubleStream.of(0.01, 0.05, 0.1, 0.25, 0.5, 1, 5, 10, 30)
            .map((seconds) -> seconds * 1e9)
            .toArray();

    /** Names of the labels by the keys of the tags, for each meter that the document names. */
    private static final Map<String, Map<String, String>> LABELS = Map.of(
            PENDING,
            Map.of("stream", "stream"),
            OLDEST_PENDING,
            Map.of("stream", "stream"),
            "outbox.processing",
            Map.of("stream", "stream"),
            "outbox.dead",
            Map.of("stream", "stream"),
            "outbox.processed",
            Map.of("stream", "stream", "result", "result"),
            HANDLER_DURATION,
            Map.of("stream", "stream", "event_type", "eventType"));

    @Override
    public Meter.Id map(Meter.Id id) {
        Map<String, String> labels = LABELS.get(id.getName());
        if (labels == null) {
            return id;
        }
        List<Tag> tags = id.getTags().stream()
                .flatMap((tag) -> label(labels, tag).stream())
                .toList();
        // Prometheus would append the unit to the name, and the document appends seconds only.
        String unit = "seconds".equals(id.getBaseUnit()) ? id.getBaseUnit() : null;
        String name = id.getName().startsWith(PREFIX) ? id.getName() : PREFIX + id.getName();
        return id.withName(name).replaceTags(tags).withBaseUnit(unit);
    }

    private static Optional<Tag> label(Map<String, String> labels, Tag tag) {
        return Optional.ofNullable(labels.get(tag.getKey())).map((name) -> Tag.of(name, tag.getValue()));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        registry.config().onMeterAdded((meter) -> addPending(registry, meter.getId()));
        registry.forEachMeter((meter) -> addPending(registry, meter.getId()));
    }

    /** Adds a gauge of a stream with the second of the two gauges that it reads. */
    private static void addPending(MeterRegistry registry, Meter.Id id) {
        if (id.getName().equals("outbox.retrying")) {
            gauge(
                            PENDING,
                            "Events that await their first delivery or a retry",
                            id,
                            () -> values(registry, id, "outbox.pending", "outbox.retrying")
                                    .sum())
                    .register(registry);
        } else if (id.getName().equals("outbox.oldest.retrying")) {
            gauge(
                            OLDEST_PENDING,
                            "Age of the oldest event that awaits its first delivery or a retry",
                            id,
                            () -> values(registry, id, "outbox.oldest.pending", "outbox.oldest.retrying")
                                    .max()
                                    .orElse(0))
                    .baseUnit("seconds")
                    .register(registry);
        }
    }

    private static Gauge.Builder<Supplier<Number>> gauge(
            String name, String description, Meter.Id id, Supplier<Number> value) {
        return Gauge.builder(name, value).description(description).tags(id.getTags());
    }

    private static DoubleStream values(MeterRegistry registry, Meter.Id id, String... gauges) {
        return Stream.of(gauges)
                .flatMap((gauge) -> registry.find(gauge).tags(id.getTags()).gauges().stream())
                .mapToDouble(Gauge::value);
    }

    /** The duration is a histogram; its own name no longer matches the property that lists its buckets. */
    @Override
    public @Nullable DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
        return id.getName().equals(PREFIX + HANDLER_DURATION)
                ? DistributionStatisticConfig.builder()
                        .serviceLevelObjectives(BUCKETS)
                        .build()
                        .merge(config)
                : config;
    }
}
