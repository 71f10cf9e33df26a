package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Usage;
import java.util.LinkedHashMap;
import java.util.Map;

/** Figures of one run, by names that include their units. */
public final class Measurement {

    private final Map<String, Double> figures = new LinkedHashMap<>();

    /** Adds a figure, unless it is not a number. */
    public Measurement with(String name, double value) {
        if (Double.isFinite(value)) {
            figures.put(name, value);
        }
        return this;
    }

    /** Adds the cost of each event. */
    public Measurement with(Usage used, long events) {
        double each = Math.max(1, events);
        return with("WAL B/event", used.walBytes() / each)
                .with("server CPU µs/event", used.serverCpuNanos() / 1e3 / each)
                .with("worker CPU µs/event", used.workerCpuNanos() / 1e3 / each);
    }

    /** Adds percentiles in milliseconds. */
    public Measurement with(String name, Percentiles times) {
        return with(name + " p50 ms", times.millis(0.50))
                .with(name + " p95 ms", times.millis(0.95))
                .with(name + " p99 ms", times.millis(0.99))
                .with(name + " max ms", times.millis(1.00));
    }

    /** Adds the result of comparing calls with commits. */
    public Measurement with(Deliveries deliveries) {
        return with("out of order", (double) deliveries.outOfOrder())
                .with("duplicates", (double) deliveries.duplicates())
                .with("missing", (double) deliveries.missing());
    }

    /** Adds whether everything was delivered: the time of that, or a negative number. */
    public Measurement withEnd(long done) {
        return with("finished", done < 0 ? 0 : 1);
    }

    /** Returns the figures by name, in the order in which they were added. */
    public Map<String, Double> figures() {
        return figures;
    }
}
