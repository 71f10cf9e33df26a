package dev.outbox.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.benchmarks.workload.Workload.Headline;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

    @Test
    void tableHasMediansRatiosAndFailures() {
        String text = new Report(
                        Map.of("machine", Map.of("processors", "2")),
                        Map.of("drain", new Headline("events/s", List.of("floor"))),
                        List.of(
                                run("outbox", "tuned", 30_000, ""),
                                run("floor", "floor", 60_000, ""),
                                run("outbox", "tuned", 10_000, ""),
                                run("outbox", "tuned", 31_000, ""),
                                run("naive", "tuned", Double.NaN, "it broke")))
                .text();

        assertThat(text)
                .contains("## drain, events 100")
                .contains("| outbox (tuned) | 30,000 [10,000–31,000] | 0.50 | 3 |")
                .contains("| floor | 60,000 [60,000–60,000] | 1 | 1 |")
                .contains("| naive (tuned) | – | – | 1, 1 failed |")
                .contains("**machine**: processors `2`")
                .contains("**outbox (tuned), version 1**: batch `500`");
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
