package dev.outbox.benchmarks.report;

import dev.outbox.benchmarks.report.BarChart.Bar;
import dev.outbox.benchmarks.report.BarChart.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/** Bar charts of the medians: one SVG image for each workload that compares contestants. */
public final class Charts {

    /** Figure with the label of its bar. */
    private record Series(String figure, String label) {}

    /** Figures that share one axis. */
    private record Axis(String text, List<Series> series) {}

    private static final Map<String, List<Axis>> AXES = Map.of(
            "drain",
            List.of(new Axis("events/s (more is better)", List.of(new Series("events/s", "")))),
            "publish",
            List.of(
                    new Axis("transactions/s (more is better)", List.of(new Series("transactions/s", ""))),
                    new Axis(
                            "CPU µs per event (less is better)",
                            List.of(
                                    new Series("server CPU µs/event", "server"),
                                    new Series("worker CPU µs/event", "worker")))),
            "latency",
            List.of(new Axis(
                    "ms from commit to handler (less is better)",
                    List.of(
                            new Series("commit to handler p50 ms", "p50"),
                            new Series("commit to handler p95 ms", "p95"),
                            new Series("commit to handler p99 ms", "p99")))));

    private Charts() {}

    /** Draws the charts of existing results. */
    public static void draw(Path results) throws IOException {
        JsonMapper mapper = JsonMapper.shared();
        Run[] runs =
                mapper.treeToValue(mapper.readTree(Files.readString(results)).get("runs"), Run[].class);
        write(List.of(runs), Objects.requireNonNull(results.toAbsolutePath().getParent()));
    }

    static void write(List<Run> runs, Path directory) throws IOException {
        Map<String, List<Run>> workloads = runs.stream().collect(Collectors.groupingBy(Run::workload));
        for (String workload : AXES.keySet()) {
            if (workloads.containsKey(workload)) {
                Files.writeString(directory.resolve(workload + ".svg"), svg(workload, workloads.get(workload)));
            }
        }
    }

    private static String svg(String workload, List<Run> runs) {
        BarChart chart = new BarChart();
        Rounds.byCase(runs).forEach((name, ofCase) -> {
            for (Axis axis : Objects.requireNonNull(AXES.get(workload))) {
                chart.addPanel(name, axis.text(), rows(axis, ofCase));
            }
        });
        return chart.svg("Medians of " + workload);
    }

    private static List<Row> rows(Axis axis, List<Run> ofCase) {
        return Rounds.byEntrant(ofCase).entrySet().stream()
                .map((entrant) -> new Row(
                        entrant.getKey(), colour(entrant.getValue().runs().get(0)), bars(axis, entrant.getValue())))
                .filter((row) -> !row.bars().isEmpty())
                .toList();
    }

    private static List<Bar> bars(Axis axis, Rounds rounds) {
        return axis.series().stream()
                .map((series) -> new Bar(series.label(), rounds.median(series.figure())))
                .filter((bar) -> Double.isFinite(bar.value()))
                .toList();
    }

    private static String colour(Run run) {
        return run.contestant().startsWith("outbox") ? "own" : run.variant().equals("floor") ? "floor" : "peer";
    }
}
