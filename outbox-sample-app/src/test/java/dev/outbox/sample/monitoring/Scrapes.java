package dev.outbox.sample.monitoring;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Scrapes in Prometheus's text format. */
final class Scrapes {

    private static final Pattern LINE = Pattern.compile("(\\w+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern UNKNOWN = Pattern.compile(
            "(?m)^outbox_(pending|processing|retrying|dead|lanes|oldest|stream_paused|handler_(dead|oldest|paused)).* NaN$");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    private Scrapes() {}

    /** Metric with its labels, whose values are escaped. */
    record Series(String metric, Map<String, String> labels) {

        /** Returns the series as a selector, with the instance that Prometheus adds. */
        String of(String instance) {
            Map<String, String> all = new TreeMap<>(labels);
            all.put("instance", instance);
            return all.entrySet().stream()
                    .map((label) -> "%s=\"%s\"".formatted(label.getKey(), label.getValue()))
                    .collect(Collectors.joining(",", metric + "{", "}"));
        }
    }

    /** Returns whether the events of a stream could not be counted in time. */
    static boolean hasUnknownGauges(String scrape) {
        return UNKNOWN.matcher(scrape).find();
    }

    static Map<Series, Double> parse(String scrape) {
        Map<Series, Double> parsed = new HashMap<>();
        scrape.lines()
                .filter((line) -> !line.startsWith("#") && !line.isBlank())
                .forEach((line) -> {
                    Matcher parts = LINE.matcher(line);
                    if (!parts.matches()) {
                        throw new IllegalArgumentException("not a sample: " + line);
                    }
                    String list = parts.group(2) == null ? "" : parts.group(2);
                    parsed.put(new Series(parts.group(1), list(list)), number(parts.group(3)));
                });
        return parsed;
    }

    /** Reads a list of names with quoted values, which stay escaped. */
    static Map<String, String> list(String list) {
        Map<String, String> values = new TreeMap<>();
        LABEL.matcher(list).results().forEach((label) -> values.put(label.group(1), label.group(2)));
        return values;
    }

    /** Returns the values of all series of a metric. */
    static List<Double> values(String scrape, String metric) {
        return parse(scrape).entrySet().stream()
                .filter((sample) -> sample.getKey().metric().equals(metric))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** Returns the names of the labels of each metric. */
    static Map<String, Set<String>> labels(String scrape) {
        return parse(scrape).keySet().stream()
                .collect(Collectors.groupingBy(
                        Series::metric,
                        Collectors.flatMapping((series) -> series.labels().keySet().stream(), Collectors.toSet())));
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }
}
