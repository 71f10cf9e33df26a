package dev.outbox.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the charts make of samples. */
@Tag("full")
@ExtendWith(BrowserExtension.class)
class ChartsTest {

    /** Ten streams with twenty samples, two seconds apart, and three minutes without one in their middle. */
    private static final String SAMPLES = """
            const at = Array.from({ length: 20 }, (_, i) => Date.now() - 400000 + 2000 * i + (i < 10 ? 0 : 180000));
            const colors = Array.from({ length: 10 }, (_, i) => 'stream' + i);
            const lines = Object.fromEntries(colors.map((name, i) => [name, at.map(() => 60 * (i + 1))]));
            window.fetch = () => Promise.resolve(
                { ok: true, json: () => Promise.resolve({ at, colors, throughput: lines, lag: lines }) });
            """;

    private static final String DRAWN = """
            const chart = Chart.getChart('lag');
            if (!chart || chart.data.datasets.length < 10) return null;
            const points = chart.getDatasetMeta(0).data;
            return {
              colors: new Set(chart.data.datasets.map((line) => line.borderColor)).size,
              segments: chart.getDatasetMeta(0).dataset.segments.length,
              gap: (points[10].x - points[9].x) / (points[1].x - points[0].x),
              ticks: chart.scales.y.ticks.map((tick) => tick.label)
            };
            """;

    private final Browser browser;

    ChartsTest(Browser browser) {
        this.browser = browser;
    }

    @Test
    @SuppressWarnings("unchecked")
    void timeIsLinearWithGapsAndEachStreamHasItsColor() {
        browser.open("");
        browser.script(SAMPLES);
        Map<String, Object> drawn = (Map<String, Object>) Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> browser.script(DRAWN), (found) -> found != null);

        assertThat(drawn).containsEntry("colors", 10L).containsEntry("segments", 2L);
        assertThat(((Number) drawn.get("gap")).doubleValue()).isBetween(90.0, 92.0);
        assertThat((List<String>) drawn.get("ticks"))
                .anySatisfy((tick) -> assertThat(tick).endsWith(" min"));
        browser.assertClean();
    }
}
