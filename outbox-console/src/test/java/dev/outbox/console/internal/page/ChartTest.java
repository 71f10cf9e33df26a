package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the charts draw of samples. */
class ChartTest {

    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    private final Samples samples = new Samples(new ArrayList<>(), new ArrayList<>(), new TreeMap<>(), new TreeMap<>());

    @Test
    void timeIsLinearAndASilenceIsAGap() {
        for (int i = 0; i < 20; i++) {
            at(2 * i + (i < 10 ? 0 : 180));
        }
        lag("default", Collections.nCopies(20, 60.0).toArray(Double[]::new));

        List<Integer> x = x(path());

        assertThat(path().split("M")).hasSize(3);
        assertThat(x).hasSize(20);
        assertThat(x.get(10) - x.get(9)).isEqualTo(91 * (x.get(1) - x.get(0)));
        assertThat(x.get(19)).isEqualTo(600);
    }

    @Test
    void aMissingFigureLeavesNoGapAndALoneOneIsAPoint() {
        at(0, 2, 4, 300);
        lag("default", 60.0, null, 120.0, 60.0);

        assertThat(path()).isEqualTo("M300,75h0L304,0M600,75h0");
    }

    @Test
    void eachOfTenStreamsHasItsColor() {
        at(0, 2);
        IntStream.range(0, 10).forEach((i) -> lag("stream" + i, 1.0, 2.0));

        assertThat(lag().lines()).extracting(Chart.Line::color).doesNotHaveDuplicates();
        samples.lag().remove("stream0");
        assertThat(lag().lines().get(0).color()).isEqualTo("hsl(8 65% var(--line))");
    }

    @ParameterizedTest
    @CsvSource({
        "0.4, 0 1 s",
        "4.2, 0 1 s 2 s 3 s 4 s 5 s",
        "1600, 0 10 min 20 min 30 min",
        "40000000, 0 120 d 240 d 360 d 480 d"
    })
    void axisOfLagHasUnitsOfTime(double longest, String ticks) {
        at(0);
        lag("default", longest);

        assertThat(labels(lag().values())).isEqualTo(ticks);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"0.3; 0 0.2 0.4 0.6 0.8 1", "7; 0 2 4 6 8", "4200; 0 1,000 2,000 3,000 4,000 5,000"})
    void axisOfThroughputHasRoundFigures(double longest, String ticks) {
        at(0);
        put(samples.throughput(), "default", longest);

        assertThat(labels(Chart.of(samples).get(0).values())).isEqualTo(ticks);
    }

    @Test
    void axisOfTimeHasEvenMinutes() {
        at(0, 630);
        lag("default", 1.0, 1.0);

        assertThat(labels(lag().times())).isEqualTo("12:02Z 12:04Z 12:06Z 12:08Z 12:10Z");
        assertThat(lag().times().get(0).at()).isEqualTo(15.0);
    }

    @Test
    void sentenceAndTableHaveTheFigures() {
        at(0, 30, 60, 200);
        lag("default", 5.0, 65.0, 1.0, 30.0);
        lag("mail", 3.0, null, null, null);

        assertThat(lag().text())
                .isEqualTo("Lag of the last 10 minutes, age of the oldest open event."
                        + " default: now 30 s, highest 1 min 5 s; mail: now –, highest 3 s.");
        assertThat(lag().minutes())
                .containsExactly(
                        new Chart.Minute("12:03Z", List.of("30 s", "–")),
                        new Chart.Minute("12:01Z", List.of("1 s", "–")),
                        new Chart.Minute("12:00Z", List.of("1 min 5 s", "3 s")));
    }

    @Test
    void idleOutboxHasAxesOnly() {
        at(0);

        assertThat(lag().text()).endsWith("No stream was busy.");
        assertThat(labels(lag().values())).isEqualTo("0 1 s");
    }

    private void at(int... seconds) {
        IntStream.of(seconds)
                .forEach((second) -> samples.at().add(START.plusSeconds(second).toEpochMilli()));
    }

    private void lag(String stream, Double... figures) {
        put(samples.lag(), stream, figures);
    }

    private void put(Map<String, List<Double>> lines, String stream, Double... figures) {
        samples.colors().add(stream);
        lines.put(stream, Arrays.asList(figures));
    }

    private Chart lag() {
        return Chart.of(samples).get(1);
    }

    private String path() {
        return lag().lines().get(0).path();
    }

    private static List<Integer> x(String path) {
        return Stream.of(path.replace("h0", "").substring(1).split("[ML]"))
                .map((point) -> Integer.valueOf(point.split(",")[0]))
                .toList();
    }

    private static String labels(List<Chart.Tick> ticks) {
        return String.join(" ", ticks.stream().map(Chart.Tick::label).toList());
    }
}
