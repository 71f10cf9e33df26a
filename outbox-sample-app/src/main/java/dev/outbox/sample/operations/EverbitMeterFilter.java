package dev.outbox.sample.operations;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Gives six meters the names and labels of the event bus document. Comes after the other filters, so that it also removes the labels that
 * these add. The dashboard and the alerts of the library need its own names.
 */
@Component
@Order(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnProperty(name = "sample.metrics.names", havingValue = "everbit")
final class EverbitMeterFilter implements MeterFilter {

    private static final String PREFIX = "everbit.";
    private static final String HANDLER_DURATION = "outbox.handler.duration";

    /** Names of the labels by the keys of the tags, for each meter that the document names. */
    private static final Map<String, Map<String, String>> LABELS = Map.of(
            "outbox.pending",
            Map.of("stream", "stream"),
            "outbox.processing",
            Map.of("stream", "stream"),
            "outbox.dead",
            Map.of("stream", "stream"),
            "outbox.oldest.pending",
            Map.of("stream", "stream"),
            "outbox.processed",
            Map.of("stream", "stream", "result", "result"),
            HANDLER_DURATION,
            Map.of("stream", "stream", "event_type", "eventType"));

    /** Returns the names that a meter of the library may have in the registry. */
    static List<String> namesOf(String meter) {
        return List.of(meter, PREFIX + meter);
    }

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
        String unit = "events".equals(id.getBaseUnit()) ? null : id.getBaseUnit();
        return id.withName(PREFIX + id.getName()).replaceTags(tags).withBaseUnit(unit);
    }

    private static Optional<Tag> label(Map<String, String> labels, Tag tag) {
        return Optional.ofNullable(labels.get(tag.getKey())).map((name) -> Tag.of(name, tag.getValue()));
    }

    /** The duration is a histogram; its own name no longer matches the property that asks for one. */
    @Override
    public @Nullable DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
        return id.getName().equals(PREFIX + HANDLER_DURATION)
                ? DistributionStatisticConfig.builder()
                        .percentilesHistogram(true)
                        .build()
                        .merge(config)
                : config;
    }
}
