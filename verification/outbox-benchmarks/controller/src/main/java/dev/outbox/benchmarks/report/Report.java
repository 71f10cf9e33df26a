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

/** Markdown report: one table of medians for each case, then every setting. */
final class Report {

    private final Map<String, Map<String, String>> conditions;
    private final Map<String, Headline> headlines;
    private final List<Run> runs;
    private final StringBuilder text = new StringBuilder();

    Report(Map<String, Map<String, String>> conditions, Map<String, Headline> headlines, List<Run> runs) {
        this.conditions = conditions;
        this.headlines = headlines;
        this.runs = runs;
    }

    String text() {
        text.append("# Results\n\n")
                .append(
                        "Medians of the rounds, with the smallest and largest value of the first figure in brackets.\n");
        Rounds.byCase(runs).forEach(this::table);
        text.append("\n## Settings\n");
        conditions.forEach(this::settings);
        settingsByEntrant().forEach(this::settings);
        return text.toString();
    }

    private void table(String name, List<Run> ofCase) {
        Headline headline = Objects.requireNonNull(headlines.get(ofCase.get(0).workload()));
        Map<String, Rounds> entrants = Rounds.byEntrant(ofCase);
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
        entrants.forEach((entrant, rounds) -> {
            text.append("| ")
                    .append(entrant)
                    .append(" | ")
                    .append(spread(rounds.sorted(headline.figure()), rounds.median(headline.figure())));
            references.forEach((reference) -> text.append(" | ")
                    .append(number(rounds.median(headline.figure())
                            / Objects.requireNonNull(entrants.get(reference)).median(headline.figure()))));
            columns.forEach((column) -> text.append(" | ").append(number(rounds.median(column))));
            text.append(" | ").append(count(rounds)).append(" |\n");
        });
    }

    private static String count(Rounds rounds) {
        return rounds.runs().size() + (rounds.failed() == 0 ? "" : ", " + rounds.failed() + " failed");
    }

    private static String spread(double[] sorted, double median) {
        return sorted.length == 0
                ? "–"
                : number(median) + " [" + number(sorted[0]) + "–" + number(sorted[sorted.length - 1]) + "]";
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

    private Map<String, Map<String, String>> settingsByEntrant() {
        Map<String, Map<String, String>> settings = new LinkedHashMap<>();
        for (Run run : runs) {
            Map<String, String> ofEntrant = settings.computeIfAbsent(
                    run.entrant() + ", version " + run.version(), (name) -> new LinkedHashMap<>());
            run.settings().forEach((name, value) -> ofEntrant.merge(name, value, Report::either));
        }
        return settings;
    }

    /** Joins the values of a setting that differs between workloads, such as the size of the pool. */
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
