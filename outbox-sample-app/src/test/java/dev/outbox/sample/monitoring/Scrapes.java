package dev.outbox.sample.monitoring;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Samples of recorded scrapes, in Prometheus's text format. */
final class Scrapes {

    /** How long a sample stands for its series in an instant vector, as in Prometheus. */
    static final Duration LOOKBACK = Duration.ofMinutes(5);

    private static final Pattern LINE = Pattern.compile("(\\w+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern UNKNOWN = Pattern.compile(
            "(?m)^outbox_(pending|processing|retrying|dead|lanes|oldest|handler_(dead|oldest|paused)).* NaN$");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    private final Map<Series, NavigableMap<Instant, Double>> samples = new HashMap<>();

    /** Metric with its labels. */
    record Series(String metric, Map<String, String> labels) {}

    /** Records a scrape of a target, whose labels Prometheus adds. */
    void record(Instant time, String scrape, Map<String, String> target) {
        parse(scrape).forEach((series, value) -> {
            Map<String, String> labels = new TreeMap<>(series.labels());
            labels.putAll(target);
            samples.computeIfAbsent(new Series(series.metric(), labels), (key) -> new TreeMap<>())
                    .put(time, value);
        });
    }

    /** Returns the series of a metric with their samples after a time, up to another. */
    Map<Series, NavigableMap<Instant, Double>> of(String metric, Instant after, Instant until) {
        Map<Series, NavigableMap<Instant, Double>> found = new HashMap<>();
        samples.forEach((series, values) -> {
            NavigableMap<Instant, Double> window = values.subMap(after, false, until, true);
            if (series.metric().equals(metric) && !window.isEmpty()) {
                found.put(series, window);
            }
        });
        return found;
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
                    Map<String, String> labels = new TreeMap<>();
                    String list = parts.group(2) == null ? "" : parts.group(2);
                    LABEL.matcher(list).results().forEach((label) -> labels.put(label.group(1), label.group(2)));
                    parsed.put(new Series(parts.group(1), labels), number(parts.group(3)));
                });
        return parsed;
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
