package dev.outbox.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

    @Test
    void tableHasMediansAndFailures() {
        String text = Report.of(List.of(
                run("outbox", "tuned", 30_000, ""),
                run("floor", "floor", 60_000, ""),
                run("outbox", "tuned", 10_000, ""),
                run("outbox", "tuned", 31_000, ""),
                run("naive", "tuned", Double.NaN, "it broke")));

        assertThat(text)
                .contains("## drain, events 100")
                .contains("| outbox (tuned) | 30,000 [10,000–31,000] | 3 |")
                .contains("| floor | 60,000 [60,000–60,000] | 1 |")
                .contains("| naive (tuned) | – | 1, 1 failed |");
    }

    @Test
    void forwarderIsComparedWithItsPlainLoop() {
        String text = Report.of(List.of(
                run("outbox-kafka", "tuned", 30_000, ""),
                run("floor-producer", "floor", 60_000, ""),
                run("outbox-kafka", "defaults", 15_000, ""),
                run("outbox-rabbit", "tuned", 10_000, "")));

        assertThat(text)
                .contains("drain, events 100: outbox-kafka (tuned) has 0.50 of the rate of floor-producer")
                .contains("drain, events 100: outbox-kafka (defaults) has 0.25 of the rate of floor-producer")
                .doesNotContain("outbox-rabbit (tuned) has");
    }

    private static Run run(String contestant, String variant, double rate, String failure) {
        return new Run(
                1,
                "drain",
                Map.of("events", "100"),
                contestant,
                variant,
                "1",
                Map.of("batch", "500"),
                Double.isNaN(rate) ? Map.of() : Map.of("events/s", rate),
                failure);
    }
}
