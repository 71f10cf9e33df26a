package dev.outbox.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/** Bar charts of the medians: one SVG image for each workload that compares contestants, for light and dark mode. */
public final class Charts {

    /** Figures that share one scale: for each label of a bar, the figure in whose name it takes the place of the asterisk. */
    private record Panel(String unit, String figure, List<String> labels) {

        String figure(String label) {
            return figure.replace("*", label);
        }
    }

    private static final Map<String, List<Panel>> PANELS = Map.of(
            "drain",
            List.of(new Panel("events/s (more is better)", "events/s", List.of(""))),
            "publish",
            List.of(
                    new Panel("transactions/s (more is better)", "transactions/s", List.of("")),
                    new Panel("CPU µs per event (less is better)", "* CPU µs/event", List.of("server", "worker"))),
            "latency",
            List.of(new Panel(
                    "ms from commit to handler (less is better)",
                    "commit to handler * ms",
                    List.of("p50", "p95", "p99"))));

    private static final int WIDTH = 820;
    private static final int LEFT = 260;
    private static final int LONGEST = 450;
    private static final int LINE = 14;
    private static final int GAP = 8;

    /** The image has a background of its own, because the page around it may be dark while the system is not. */
    private static final String IMAGE = """
            <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img">
            <title>Medians of %3$s</title>
            <style>
              text { font: 12px system-ui, sans-serif; fill: #24292f; }
              .title { font-weight: 600; }
              .name { text-anchor: end; }
              .back { fill: #ffffff; }
              .own { fill: #0969da; }
              .peer { fill: #8c959f; }
              .floor { fill: #d4a72c; }
              @media (prefers-color-scheme: dark) {
                text { fill: #e6edf3; }
                .back { fill: #0d1117; }
                .own { fill: #4493f8; }
                .peer { fill: #7d8590; }
                .floor { fill: #bb8009; }
              }
            </style>
            <rect class="back" width="100%%" height="100%%"/>
            %4$s</svg>
            """;

    private final StringBuilder body = new StringBuilder();
    private int bottom = 2 * GAP;

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
        for (String workload : PANELS.keySet()) {
            if (workloads.containsKey(workload)) {
                Charts charts = new Charts();
                Rounds.byCase(workloads.get(workload))
                        .forEach((name, ofCase) -> Objects.requireNonNull(PANELS.get(workload))
                                .forEach((panel) -> charts.add(name, panel, Rounds.byEntrant(ofCase))));
                Files.writeString(
                        directory.resolve(workload + ".svg"),
                        IMAGE.formatted(WIDTH, charts.bottom, workload, charts.body));
            }
        }
    }

    private void add(String title, Panel panel, Map<String, Rounds> entrants) {
        double largest = entrants.values().stream()
                .flatMap((rounds) -> panel.labels().stream().map((label) -> rounds.median(panel.figure(label))))
                .filter((value) -> value > 0)
                .max(Double::compare)
                .orElse(1.0);
        text("title", 2 * GAP, LINE, title);
        text("unit", LEFT, 2 * LINE + GAP / 2, panel.unit());
        bottom += 2 * LINE + 2 * GAP;
        entrants.forEach((name, rounds) -> addBars(name, rounds, panel, LONGEST / largest));
        bottom += LINE;
    }

    private void addBars(String name, Rounds rounds, Panel panel, double scale) {
        int top = bottom;
        for (String label : panel.labels()) {
            double value = rounds.median(panel.figure(label));
            if (Double.isFinite(value)) {
                add(
                        "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
                        colour(rounds.runs().get(0)), LEFT, bottom, value * scale, LINE - 2);
                text("value", LEFT + 4 + value * scale, LINE - 4, (label + " " + Report.number(value)).strip());
                bottom += LINE;
            }
        }
        if (bottom > top) {
            text("name", LEFT - GAP, (top - bottom) / 2.0 + 4, name);
            bottom += GAP;
        }
    }

    private static String colour(Run run) {
        return run.contestant().startsWith("outbox") ? "own" : run.variant().equals("floor") ? "floor" : "peer";
    }

    private void text(String type, double x, double below, String content) {
        add("<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>", type, x, bottom + below, content);
    }

    private void add(String format, Object... values) {
        body.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
