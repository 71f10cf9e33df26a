package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.core.env.Environment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard that is shipped, and the meters that it shows. */
@SampleTest
class DashboardTest {

    private static final Path DASHBOARD =
            Path.of("..", "docs", "grafana-dashboard.json").toAbsolutePath();
    private static final Pattern METER = Pattern.compile("outbox_\\w+");

    @LocalServerPort
    private int port;

    @Autowired
    private JsonMapper json;

    @Autowired
    private Environment settings;

    private JsonNode panels;

    @BeforeEach
    void read() {
        panels = json.readTree(DASHBOARD).path("panels");
    }

    @Test
    void everyMeterThatItShowsIsServed() {
        Api api = new Api(port);
        api.subscribe("guild-watched", "pro");
        api.awaitPublished();
        Set<String> shown = panels.findValuesAsString("expr").stream()
                .flatMap((query) -> METER.matcher(query).results())
                .map(MatchResult::group)
                .collect(Collectors.toSet());

        String scrape = api.get("/actuator/prometheus").getBody();

        assertThat(shown)
                .hasSizeGreaterThan(10)
                .allSatisfy((meter) -> assertThat(scrape.lines()).anyMatch((line) -> line.startsWith(meter + "{")));
    }

    @Test
    void itTurnsRedWhereTheAlertsDo() {
        assertThat(threshold("Unpublished events")).isEqualTo(number("alerts.unpublished"));
        assertThat(threshold("Oldest event"))
                .isEqualTo(DurationStyle.detectAndParse(settings.getRequiredProperty("alerts.oldest"))
                        .toSeconds());
        assertThat(threshold("Dead events")).isEqualTo(number("alerts.dead"));
        assertThat(threshold("Retries per event")).isEqualTo(number("alerts.mean-retries"));
    }

    private double number(String property) {
        return settings.getRequiredProperty(property, Double.class);
    }

    private double threshold(String title) {
        return panels.valueStream()
                .filter((panel) -> panel.path("title").asString().equals(title))
                .findFirst()
                .orElseThrow()
                .at("/fieldConfig/defaults/thresholds/steps/1/value")
                .asDouble();
    }
}
