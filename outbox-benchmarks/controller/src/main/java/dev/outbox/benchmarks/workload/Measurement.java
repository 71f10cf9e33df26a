package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Usage;
import java.util.LinkedHashMap;
import java.util.Map;

/** The figures of one run, by names that say their units. */
public final class Measurement {

    private final Map<String, Double> figures = new LinkedHashMap<>();
    private final Map<String, String> settings = new LinkedHashMap<>();

    /**
     * Adds a figure.
     *
     * @param name its name, with its unit
     * @param value its value; left out if it is not a number
     * @return this measurement
     */
    public Measurement with(String name, double value) {
        if (Double.isFinite(value)) {
            figures.put(name, value);
        }
        return this;
    }

    /**
     * Adds what each event has cost.
     *
     * @param used what all have cost
     * @param events how many there were
     * @return this measurement
     */
    public Measurement with(Usage used, long events) {
        double each = Math.max(1, events);
        return with("WAL B/event", used.walBytes() / each)
                .with("server CPU µs/event", used.serverCpuNanos() / 1e3 / each)
                .with("worker CPU µs/event", used.workerCpuNanos() / 1e3 / each);
    }

    /**
     * Adds percentiles in milliseconds.
     *
     * @param name what they are of
     * @param times the times in nanoseconds
     * @return this measurement
     */
    public Measurement with(String name, Percentiles times) {
        return with(name + " p50 ms", times.millis(0.50))
                .with(name + " p95 ms", times.millis(0.95))
                .with(name + " p99 ms", times.millis(0.99))
                .with(name + " max ms", times.millis(1.00));
    }

    /**
     * Adds what the check of deliveries found.
     *
     * @param deliveries the check
     * @return this measurement
     */
    public Measurement with(Deliveries deliveries) {
        return with("out of order", (double) deliveries.outOfOrder())
                .with("duplicates", (double) deliveries.duplicates())
                .with("missing", (double) deliveries.missing());
    }

    /**
     * Adds what the contestant ran with.
     *
     * @param more the settings by name
     * @return this measurement
     */
    public Measurement with(Map<String, String> more) {
        settings.putAll(more);
        return this;
    }

    /**
     * Returns the figures.
     *
     * @return the figures by name, in the order in which they were added
     */
    public Map<String, Double> figures() {
        return figures;
    }

    /**
     * Returns what the contestant ran with.
     *
     * @return the settings by name
     */
    public Map<String, String> settings() {
        return settings;
    }
}
