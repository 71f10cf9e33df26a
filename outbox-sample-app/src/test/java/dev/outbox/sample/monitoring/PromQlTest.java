package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The test's own evaluator, against values computed by hand. */
class PromQlTest {

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private final Scrapes scrapes = new Scrapes();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    queue                                           | {stream=a}=3.0 {stream=b}=5.0
                    queue{stream="a"}                               | {stream=a}=3.0
                    queue{stream!="a"}                              | {stream=b}=5.0
                    queue{stream=~"[ac]"}                           | {stream=a}=3.0
                    sum(queue)                                      | {}=8.0
                    max(queue)                                      | {}=5.0
                    count(queue)                                    | {}=2.0
                    sum by (stream) (queue) > 4                     | {stream=b}=5.0
                    queue >= 5                                      | {stream=b}=5.0
                    queue < 5                                       | {stream=a}=3.0
                    queue <= 3                                      | {stream=a}=3.0
                    queue == 3                                      | {stream=a}=3.0
                    queue + queue * 2                               | {stream=a}=9.0 {stream=b}=15.0
                    (queue - 1) / 2                                 | {stream=a}=1.0 {stream=b}=2.0
                    queue > 4 or queue > 2                          | {stream=a}=3.0 {stream=b}=5.0
                    queue > 2 and queue > 4                         | {stream=b}=5.0
                    queue unless queue > 4                          | {stream=a}=3.0
                    queue > limit                                   | {stream=a}=3.0
                    unknown != unknown                              | {stream=a}=NaN
                    max(unknown)                                    | {}=7.0
                    absent(nothing)                                 | {}=1.0
                    absent(queue)                                   |
                    """)
    void evaluatesInstantVectors(String expression, String expected) {
        record(0, """
                # TYPE queue gauge
                queue{stream="a"} 3.0
                queue{stream="b"} 5.0
                limit{stream="a"} 2.0
                limit{stream="b"} 6.0
                unknown{stream="a"} NaN
                unknown{stream="b"} 7.0
                """);

        assertThat(at(0, expression)).isEqualTo(expected == null ? "" : expected);
    }

    @Test
    void increaseIsThatOfTheWindowAndSurvivesARestart() {
        record(0, "done_total 1000000.0");
        record(60, "done_total 1000010.0");
        record(120, "done_total 5.0");

        assertThat(at(120, "increase(done_total[5m])")).isEqualTo("{}=15.0");
        assertThat(at(120, "rate(done_total[5m])")).isEqualTo("{}=0.05");
        assertThat(at(120, "increase(done_total[90s])")).isEqualTo("{}=5.0");
        assertThat(at(120, "increase(done_total[60s])")).isEmpty();
    }

    @Test
    void sampleStandsForItsSeriesForFiveMinutes() {
        record(0, "queue 1.0");

        assertThat(at(299, "queue")).isEqualTo("{}=1.0");
        assertThat(at(300, "queue")).isEmpty();
        assertThat(at(300, "absent(queue)")).isEqualTo("{}=1.0");
    }

    @Test
    void targetLabelsAreAdded() {
        scrapes.record(START, "queue{stream=\"a\"} 1.0", Map.of("instance", "one"));

        assertThat(at(0, "sum by (instance) (queue)")).isEqualTo("{instance=one}=1.0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "queue offset 5m",
                "avg(queue)",
                "sum without (a) (queue)",
                "sum(queue) by (a)",
                "queue > bool 1",
                "queue * on (a) limit",
                "queue and on (a) limit",
                "topk(3, queue)",
                "max_over_time(queue[5m])",
                "increase(queue)",
                "absent(queue[5m])",
                "queue{a!~\"b\"}",
                "queue[5m:1m]",
                "queue ^ 2",
                "queue % 2",
                "-queue",
                "sum(queue",
                "queue limit",
                "queue{a=b}",
            })
    void refusesWhatItDoesNotKnow(String expression) {
        assertThatThrownBy(() -> PromQl.parse(expression)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"histogram_quantile(0.95, queue)", "queue[5m]", "1"})
    void refusesToEvaluateWhatItOnlyParses(String expression) {
        assertThatThrownBy(() -> at(0, expression)).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void refusesScrapeThatItCannotRead() {
        assertThatThrownBy(() -> record(0, "queue one")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> record(0, "queue")).isInstanceOf(IllegalArgumentException.class);
    }

    private void record(int second, String scrape) {
        scrapes.record(START.plusSeconds(second), scrape, Map.of());
    }

    private String at(int second, String expression) {
        return new Evaluation(scrapes, START.plusSeconds(second))
                .vector(PromQl.parse(expression)).entrySet().stream()
                        .map((element) -> element.getKey() + "=" + element.getValue())
                        .sorted()
                        .reduce((one, other) -> one + " " + other)
                        .orElse("");
    }
}
