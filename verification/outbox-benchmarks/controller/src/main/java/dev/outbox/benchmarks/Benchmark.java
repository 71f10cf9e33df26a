package dev.outbox.benchmarks;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Resources;
import dev.outbox.benchmarks.harm.Harms;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.options.Options;
import dev.outbox.benchmarks.report.Charts;
import dev.outbox.benchmarks.report.Results;
import dev.outbox.benchmarks.report.Run;
import dev.outbox.benchmarks.workload.Drain;
import dev.outbox.benchmarks.workload.Forward;
import dev.outbox.benchmarks.workload.Latency;
import dev.outbox.benchmarks.workload.Publish;
import dev.outbox.benchmarks.workload.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Main class: runs every case with every entrant, in turns. Each round runs every entrant once, so a noisy moment of the
 * machine affects all of them.
 */
public final class Benchmark {

    private static final List<Workload> WORKLOADS = Stream.concat(
                    Stream.of(new Publish(), new Drain(), new Latency(), new Forward()), Harms.all().stream())
            .toList();

    /** Workload with one of its cases. */
    private record Planned(Workload workload, Case parameters) {}

    private final Resources resources;
    private final int rounds;
    private final List<Entrant> entrants;
    private final List<Planned> plan;
    private final Results results;

    /** Plans a benchmark. */
    public Benchmark(Options options) throws IOException {
        this.resources = Resources.of(options);
        this.rounds = options.number("rounds", 5);
        this.entrants = Entrant.of(
                options.texts("contestants", Entrant.names()),
                options.texts("variants", Entrant.TUNED + "," + Entrant.DEFAULTS));
        this.plan = options.texts("workloads", "publish,drain,latency").stream()
                .flatMap((name) -> planned(options, name))
                .toList();
        this.results = new Results(Path.of(options.text("results", "target/benchmark-results")), options.given());
        options.checkAllAreKnown();
    }

    private static Stream<Planned> planned(Options options, String name) {
        Workload workload = WORKLOADS.stream()
                .filter((one) -> one.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("workloads must be among "
                        + WORKLOADS.stream().map(Workload::name).toList() + ": " + name));
        return options.cases(workload.prefix(), workload.options()).stream()
                .map((parameters) -> new Planned(workload, parameters));
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
            for (Planned planned : plan) {
                for (Entrant entrant : entrants) {
                    if (planned.workload().suits(entrant, planned.parameters())) {
                        results.add(run(planned, entrant, round));
                    }
                }
            }
        }
        results.shares().forEach(System.out::println);
        System.out.println("Results: " + results.directory().toAbsolutePath().normalize());
        return results.directory();
    }

    private Run run(Planned planned, Entrant entrant, int round) {
        String name = planned.workload().name();
        Map<String, String> parameters = planned.parameters().values();
        System.out.printf("%s %s, %s, round %d%n", name, parameters, entrant, round);
        String version = "";
        Map<String, String> settings = Map.of();
        Map<String, Double> figures = Map.of();
        String failure = "";
        try (Arena arena = new Arena(entrant, resources)) {
            version = arena.version();
            results.server(arena.server().settings());
            settings = arena.settings();
            figures = planned.workload().run(arena, planned.parameters()).figures();
            System.out.println("  " + figures);
        } catch (Exception ex) {
            ex.printStackTrace();
            failure = String.valueOf(ex);
        }
        return new Run(
                round,
                name,
                parameters,
                entrant.contestant().name(),
                entrant.variant(),
                version,
                settings,
                figures,
                failure);
    }
}
