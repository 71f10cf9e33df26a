package dev.outbox.benchmarks.report;

import dev.outbox.benchmarks.workload.Workload.Headline;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** The medians of all runs, one table for each case, with every setting below. */
final class Report {

    private final Map<String, Map<String, String>> circumstances;
    private final Map<String, Headline> headlines;
    private final List<Run> runs;
    private final StringBuilder text = new StringBuilder();

    Report(Map<String, Map<String, String>> circumstances, Map<String, Headline> headlines, List<Run> runs) {
        this.circumstances = circumstances;
        this.headlines = headlines;
        this.runs = runs;
    }

    String text() {
        text.append(
                "# Results\n\nMedians over the rounds; the smallest and largest value of the first figure in brackets.\n");
        byCase().forEach(this::table);
        text.append("\n## Settings\n");
        circumstances.forEach((name, values) -> settings(name, values));
        byEntrant().forEach(this::settings);
        return text.toString();
    }

    private Map<String, List<Run>> byCase() {
        return runs.stream().collect(Collectors.groupingBy(Run::caseName, LinkedHashMap::new, Collectors.toList()));
    }

    private void table(String name, List<Run> ofCase) {
        Headline headline = Objects.requireNonNull(headlines.get(ofCase.get(0).workload()));
        Map<String, List<Run>> entrants =
                ofCase.stream().collect(Collectors.groupingBy(Run::entrant, LinkedHashMap::new, Collectors.toList()));
        Set<String> columns = new LinkedHashSet<>();
        ofCase.forEach((run) -> columns.addAll(run.figures().keySet()));
        columns.remove(headline.figure());
        List<String> references =
                headline.references().stream().filter(entrants::containsKey).toList();

        text.append("\n## ").append(name).append("\n\n| | ").append(headline.figure());
        references.forEach((reference) -> text.append(" | ÷ ").append(reference));
        columns.forEach((column) -> text.append(" | ").append(column));
        text.append(" | rounds |\n|---|")
                .append("---:|".repeat(references.size() + columns.size() + 2))
                .append('\n');
        entrants.forEach((entrant, its) -> {
            text.append("| ").append(entrant).append(" | ").append(spread(its, headline.figure()));
            references.forEach((reference) -> text.append(" | ")
                    .append(number(median(its, headline.figure())
                            / median(Objects.requireNonNull(entrants.get(reference)), headline.figure()))));
            columns.forEach((column) -> text.append(" | ").append(number(median(its, column))));
            text.append(" | ").append(rounds(its)).append(" |\n");
        });
    }

    private static String rounds(List<Run> its) {
        long failed = its.stream().filter((run) -> !run.failure().isEmpty()).count();
        return its.size() + (failed == 0 ? "" : ", " + failed + " failed");
    }

    private static String spread(List<Run> its, String figure) {
        double[] sorted = values(its, figure).sorted().toArray();
        return sorted.length == 0
                ? "–"
                : number(median(its, figure)) + " [" + number(sorted[0]) + "–" + number(sorted[sorted.length - 1])
                        + "]";
    }

    private static double median(List<Run> its, String figure) {
        double[] sorted = values(its, figure).sorted().toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static DoubleStream values(List<Run> its, String figure) {
        return its.stream()
                .map((run) -> run.figures().get(figure))
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue);
    }

    private static String number(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        double size = Math.abs(value);
        boolean whole = value == Math.rint(value) && size < 1e15;
        String format = whole || size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.4f";
        return String.format(Locale.ROOT, format, value);
    }

    private Map<String, Map<String, String>> byEntrant() {
        Map<String, Map<String, String>> settings = new LinkedHashMap<>();
        for (Run run : runs) {
            Map<String, String> its = settings.computeIfAbsent(
                    run.entrant() + ", version " + run.version(), (name) -> new LinkedHashMap<>());
            run.settings().forEach((name, value) -> its.merge(name, value, Report::either));
        }
        return settings;
    }

    /** A setting that differs between workloads, such as the size of the pool. */
    private static String either(String one, String other) {
        return List.of(one.split(" or ")).contains(other) ? one : one + " or " + other;
    }

    private void settings(String name, Map<String, String> values) {
        text.append("\n**").append(name).append("**: ");
        text.append(
                values.isEmpty()
                        ? "none"
                        : values.entrySet().stream()
                                .map((value) -> value.getKey() + " `" + value.getValue() + "`")
                                .collect(Collectors.joining(", ")));
        text.append('\n');
    }
}
