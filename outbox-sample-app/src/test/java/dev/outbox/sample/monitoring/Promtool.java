package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** Prometheus's own evaluation of the shipped rules and of queries, over scrapes that are recorded one a minute. */
final class Promtool {

    /** Condition of tests that need the program. */
    static final String INSTALLED = "dev.outbox.sample.monitoring.Promtool#isInstalled";

    static final String MISSING = "promtool is not on the PATH";

    private static final Path RULES = SourceTree.ROOT.resolve("docs/monitoring/prometheus-rules.yml");
    private static final Pattern ANNOTATIONS = Pattern.compile("Annotations:\\{(.*)}");

    private final List<Map<String, Double>> scrapes = new ArrayList<>();

    static boolean isInstalled() {
        return Stream.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator))
                .anyMatch((directory) -> new File(directory, "promtool").canExecute());
    }

    /** Fails unless the rules are valid. */
    static void checkRules() {
        run(0, "check", "rules", RULES.toString());
    }

    /** Records a scrape, one minute after the last. */
    void scrape(String text) {
        Map<String, Double> values = new LinkedHashMap<>();
        Scrapes.parse(text).forEach((series, value) -> {
            if (series.metric().startsWith("outbox_")) {
                values.put(series.of("one"), value);
            }
        });
        scrapes.add(values);
    }

    /** Records the last scrape again, for some minutes in which nothing changes. */
    void scrapeAgain(int minutes) {
        Map<String, Double> last = scrapes.get(scrapes.size() - 1);
        IntStream.range(0, minutes).forEach((minute) -> scrapes.add(last));
    }

    /** Lets some minutes pass without a scrape. */
    void missScrapes(int minutes) {
        IntStream.range(0, minutes).forEach((minute) -> scrapes.add(Map.of()));
    }

    /** Fails unless a query has a result at the time of the last scrape. */
    void assertResult(String query) {
        assertQuery("count(" + query + ") > bool 0", List.of(Map.of("labels", "{}", "value", 1)));
    }

    /** Fails if a query has a result at the time of the last scrape. */
    void assertNoResult(String query) {
        assertQuery(query, List.of());
    }

    /**
     * Returns the annotations of an alert at the time of the last scrape, once for each series that fires. Promtool prints them if the test
     * expects no alert.
     */
    List<Map<String, String>> annotations(String alert) {
        String report =
                test(1, "alert_rule_test", Map.of("alertname", alert, "eval_time", time(), "exp_alerts", List.of()));
        return ANNOTATIONS
                .matcher(report)
                .results()
                .map((annotations) -> Scrapes.list(annotations.group(1)))
                .toList();
    }

    private void assertQuery(String query, List<Map<String, Object>> samples) {
        test(0, "promql_expr_test", Map.of("expr", query, "eval_time", time(), "exp_samples", samples));
    }

    private String time() {
        return (scrapes.size() - 1) + "m";
    }

    /** Runs a test of the rules, and returns its report. */
    private String test(int status, String kind, Map<String, Object> expectation) {
        Map<String, Object> test = Map.of(
                "rule_files",
                List.of(RULES.toString()),
                "evaluation_interval",
                "1m",
                "tests",
                List.of(Map.of("interval", "1m", "input_series", series(), kind, List.of(expectation))));
        try {
            Path file = Files.createTempFile("promtool-", ".json");
            try {
                // JSON is YAML.
                Files.writeString(file, JsonMapper.shared().writeValueAsString(test));
                return run(status, "test", "rules", file.toString());
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Map<String, String>> series() {
        return scrapes.stream()
                .flatMap((scrape) -> scrape.keySet().stream())
                .distinct()
                .map((series) -> Map.of("series", series, "values", values(series)))
                .toList();
    }

    private String values(String series) {
        return String.join(
                " ",
                scrapes.stream()
                        .map((scrape) -> scrape.containsKey(series) ? String.valueOf(scrape.get(series)) : "_")
                        .toList());
    }

    private static String run(int status, String... arguments) {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(Arrays.asList(arguments));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isEqualTo(status);
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
