package dev.outbox.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Markdown report: one table of medians for each case. */
final class Report {

    private static final String RATE = "events/s";

    private static final String TITLE = """
            # Results

            Medians of the rounds, with the smallest and largest value of the first figure in brackets.
            """;

    /** Plain loop beside which a forwarder is measured. */
    private static final Map<String, String> LOOPS =
            Map.of("outbox-kafka", "floor-producer", "outbox-rabbit", "floor-confirms");

    private Report() {}

    static String of(List<Run> runs) {
        String tables = Rounds.byCase(runs).entrySet().stream()
                .map((one) -> table(one.getKey(), one.getValue()))
                .collect(Collectors.joining("", TITLE, ""));
        return tables
                + shares(runs).stream().map((share) -> "\n" + share + "\n").collect(Collectors.joining());
    }

    private static String table(String name, List<Run> runs) {
        Set<String> figures = new LinkedHashSet<>();
        runs.forEach((run) -> figures.addAll(run.figures().keySet()));
        String heads = figures.stream().map((figure) -> figure + " | ").collect(Collectors.joining());
        return Rounds.byEntrant(runs).entrySet().stream()
                .map((entrant) -> row(entrant.getKey(), entrant.getValue(), figures))
                .collect(Collectors.joining(
                        "",
                        "\n## " + name + "\n\n| | " + heads + "rounds |\n|---|" + "---:|".repeat(figures.size() + 1)
                                + "\n",
                        ""));
    }

    /** Returns the rate of each forwarder as a share of that of its plain loop, in each case that has both. */
    static List<String> shares(List<Run> runs) {
        List<String> shares = new ArrayList<>();
        Rounds.byCase(runs).forEach((name, ofCase) -> {
            Map<String, Rounds> entrants = Rounds.byEntrant(ofCase);
            entrants.forEach((entrant, rounds) -> {
                String loop = LOOPS.getOrDefault(rounds.runs().get(0).contestant(), "");
                Rounds floor = entrants.get(loop);
                if (floor != null) {
                    double share = rounds.median(RATE) / floor.median(RATE);
                    shares.add("%s: %s has %s of the rate of %s".formatted(name, entrant, number(share), loop));
                }
            });
        });
        return shares;
    }

    private static String row(String entrant, Rounds rounds, Set<String> figures) {
        StringBuilder row = new StringBuilder("| ").append(entrant);
        for (String figure : figures) {
            double[] sorted = rounds.sorted(figure);
            row.append(" | ").append(number(rounds.median(figure)));
            if (figure.equals(figures.iterator().next()) && sorted.length > 0) {
                row.append(" [%s–%s]".formatted(number(sorted[0]), number(sorted[sorted.length - 1])));
            }
        }
        String failed = rounds.failed() == 0 ? "" : ", " + rounds.failed() + " failed";
        return row + " | " + rounds.runs().size() + failed + " |\n";
    }

    static String number(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        double size = Math.abs(value);
        boolean whole = value == Math.rint(value) && size < 1e15;
        String format = whole || size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.4f";
        return String.format(Locale.ROOT, format, value);
    }
}
