package dev.outbox.benchmarks;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Resources;
import dev.outbox.benchmarks.harm.Harms;
import dev.outbox.benchmarks.options.Options;
import dev.outbox.benchmarks.report.Charts;
import dev.outbox.benchmarks.report.Results;
import dev.outbox.benchmarks.report.Run;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Workload;
import dev.outbox.benchmarks.workload.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Main class: runs every case with every entrant, in turns. Each round runs every entrant once, so a noisy moment of the
 * machine affects all of them.
 */
public final class Benchmark {

    private final Resources resources;
    private final int rounds;
    private final List<Entrant> entrants;
    private final List<Workload> workloads;
    private final Results results;

    /** Plans a benchmark. */
    public Benchmark(Options options) throws IOException {
        this.resources = Resources.of(options);
        this.rounds = options.number("rounds", 5);
        this.entrants = Entrant.of(
                options.texts("contestants", Entrant.names()),
                options.texts("variants", Entrant.TUNED + "," + Entrant.DEFAULTS));
        this.workloads = workloads(options);
        this.results = new Results(Path.of(options.text("results", "target/benchmark-results")), options.given());
        options.checkAllAreKnown();
    }

    private static List<Workload> workloads(Options options) {
        Workloads comparisons = new Workloads(options);
        Harms harms = new Harms(options);
        List<Workload> chosen = new ArrayList<>();
        for (String name : options.texts("workloads", "publish,drain,latency")) {
            chosen.addAll(
                    switch (name) {
                        case "publish" -> comparisons.publish();
                        case "drain" -> comparisons.drain();
                        case "latency" -> comparisons.latency();
                        case "forward" -> comparisons.forward();
                        default -> harms.named(name);
                    });
        }
        return chosen;
    }

    /** Runs the benchmark that the system properties describe, or only draws the charts of existing results. */
    public static void main(String[] arguments) throws IOException {
        Options options = new Options(System.getProperties());
        String charts = options.text("charts", "");
        if (charts.isEmpty()) {
            new Benchmark(options).run();
        } else {
            Charts.draw(Path.of(charts));
        }
    }

    /** Runs all rounds and returns the directory of the results. */
    public Path run() throws IOException {
        for (int round = 1; round <= rounds; round++) {
            for (Workload workload : workloads) {
                for (Entrant entrant : entrants) {
                    if (workload.suits(entrant)) {
                        results.add(run(workload, entrant, round), workload.headline());
                    }
                }
            }
        }
        System.out.println("Results: " + results.directory().toAbsolutePath().normalize());
        return results.directory();
    }

    private Run run(Workload workload, Entrant entrant, int round) {
        System.out.printf("%s %s, %s, round %d%n", workload.name(), workload.parameters(), entrant, round);
        String version = "";
        Measurement measurement = new Measurement();
        String failure = "";
        try (Arena arena = new Arena(entrant, resources)) {
            version = arena.version();
            results.server(arena.server().settings());
            measurement = workload.run(arena).with(arena.settings());
            System.out.println("  " + measurement.figures());
        } catch (Exception ex) {
            ex.printStackTrace();
            failure = String.valueOf(ex);
        }
        return new Run(
                round,
                workload.name(),
                workload.parameters(),
                entrant.contestant().name(),
                entrant.variant(),
                version,
                Map.copyOf(measurement.settings()),
                measurement.figures(),
                failure);
    }
}
