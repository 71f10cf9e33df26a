package dev.outbox.sample.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

@ExtendWith(OutputCaptureExtension.class)
class AlertsTest {

    private final LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
    private final Map<String, Double> values = new HashMap<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Alerts alerts = new Alerts(
            meters,
            new RecentRetries(JdbcClient.create(new DriverManagerDataSource("jdbc:postgresql://localhost:1/nowhere"))),
            new AlertSettings(1000, Duration.ofMinutes(1), 10, 1, Duration.ofMinutes(5)));

    @BeforeEach
    void listen() {
        logging.setLogLevel(Alerts.class.getName(), LogLevel.INFO);
    }

    @AfterEach
    void quieten() {
        logging.setLogLevel(Alerts.class.getName(), null);
    }

    @Test
    void nothingFiresWhereNothingIsMeasured() {
        assertThat(alerts.current()).hasSize(4).noneMatch(Alert::firing);
    }

    @Test
    void countsUnpublishedEventsOfAllStreams() {
        set("outbox.pending", "default", 400);
        set("outbox.processing", "default", 100);
        set("outbox.retrying", "push", 500);
        assertThat(alert("unpublished").firing()).isFalse();

        set("outbox.retrying", "push", 501);

        assertThat(alert("unpublished")).isEqualTo(new Alert("unpublished", 1001, 1000, true));
    }

    @Test
    void oldestEventOfAnyStreamCounts() {
        set("outbox.oldest.pending", "default", 60);
        assertThat(alert("oldest").firing()).isFalse();

        set("outbox.oldest.pending", "push", 61);

        assertThat(alert("oldest")).isEqualTo(new Alert("oldest", 61, 60, true));
    }

    @Test
    void oldestEventThatWaitsForARetryCounts() {
        set("outbox.oldest.pending", "default", 2);
        set("outbox.oldest.retrying", "push", 7200);

        assertThat(alert("oldest")).isEqualTo(new Alert("oldest", 7200, 60, true));
    }

    @Test
    void deadEventsOfAllStreamsAreAdded() {
        set("outbox.dead", "default", 10);
        assertThat(alert("dead").firing()).isFalse();

        set("outbox.dead", "push", 1);

        assertThat(alert("dead")).isEqualTo(new Alert("dead", 11, 10, true));
    }

    @Test
    void crossedThresholdIsLoggedOnceAndSoIsItsEnd(CapturedOutput output) {
        set("outbox.dead", "default", 11);
        alerts.watch();
        alerts.watch();
        assertThat(output.getOut().lines().filter((line) -> line.contains("Alert dead: 11.0 is above 10.0")))
                .hasSize(1);

        set("outbox.dead", "default", Double.NaN);
        alerts.watch();
        assertThat(output.getOut()).doesNotContain("Alert dead is over");

        set("outbox.dead", "default", 0);
        alerts.watch();
        alerts.watch();
        assertThat(output.getOut().lines().filter((line) -> line.contains("Alert dead is over")))
                .hasSize(1);
    }

    private Alert alert(String name) {
        return alerts.current().stream()
                .filter((alert) -> alert.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private void set(String gauge, String stream, double value) {
        if (values.put(gauge + stream, value) == null) {
            Gauge.builder(gauge, values, (all) -> all.get(gauge + stream))
                    .tag("stream", stream)
                    .register(meters);
        }
    }
}
