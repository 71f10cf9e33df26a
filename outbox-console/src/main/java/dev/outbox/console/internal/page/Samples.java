package dev.outbox.console.internal.page;

import dev.outbox.operations.OutboxOverview;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Lines of the charts: those of busy streams.
 *
 * @param at the times in milliseconds since 1970
 * @param colors every stream, in the order in which they have got their colors
 * @param throughput the completed events per second of each stream that completed one
 * @param lag the age of the oldest open event of each stream that had one, in seconds
 */
record Samples(
        List<Long> at,
        List<String> colors,
        Map<String, List<@Nullable Double>> throughput,
        Map<String, List<@Nullable Double>> lag) {

    /**
     * What the charts keep of a state.
     *
     * @param at when it was read
     * @param streams the figures of each stream
     */
    record Sample(Instant at, Map<String, Figures> streams) {

        static Sample of(Instant at, OutboxOverview overview) {
            Map<String, Figures> streams = new TreeMap<>();
            for (OutboxOverview.Stream stream : overview.streams()) {
                streams.put(
                        stream.name(),
                        new Figures(
                                stream.deliveredPerSecond(),
                                lag(stream.backlog()).toMillis() / 1000.0));
            }
            return new Sample(at, streams);
        }
    }

    /**
     * Figures of one stream.
     *
     * @param throughput the completed events per second
     * @param lag the age of the oldest open event, in seconds
     */
    record Figures(double throughput, double lag) {}

    static Samples of(List<Sample> kept, List<String> colors) {
        Samples samples = new Samples(new ArrayList<>(), colors, new TreeMap<>(), new TreeMap<>());
        kept.forEach(samples::add);
        samples.throughput().values().removeIf(Samples::isIdle);
        samples.lag().values().removeIf(Samples::isIdle);
        return samples;
    }

    private static boolean isIdle(List<@Nullable Double> line) {
        return line.stream().allMatch((value) -> value == null || value == 0);
    }

    private void add(Sample sample) {
        sample.streams().forEach((stream, figures) -> {
            put(throughput, stream, figures.throughput());
            put(lag, stream, figures.lag());
        });
        at.add(sample.at().toEpochMilli());
        throughput.values().forEach(this::fill);
        lag.values().forEach(this::fill);
    }

    private void put(Map<String, List<@Nullable Double>> lines, String stream, double value) {
        List<@Nullable Double> line = lines.computeIfAbsent(stream, (added) -> new ArrayList<>());
        fill(line);
        line.add(value);
    }

    private void fill(List<@Nullable Double> line) {
        while (line.size() < at.size()) {
            line.add(null);
        }
    }

    private static Duration lag(OutboxOverview.Backlog backlog) {
        return backlog.oldestPending().compareTo(backlog.oldestRetrying()) > 0
                ? backlog.oldestPending()
                : backlog.oldestRetrying();
    }
}
