package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.metrics.OutboxMeters;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
            Path.of("..", "docs", "monitoring", "grafana-dashboard.json").toAbsolutePath();

    @LocalServerPort
    private int port;

    @Autowired
    private JsonMapper json;

    @Autowired
    private Environment settings;

    @Autowired
    private OutboxMeters meters;

    private JsonNode panels;

    @BeforeEach
    void read() {
        panels = json.readTree(DASHBOARD).path("panels");
    }

    @Test
    void everyMetricAndLabelThatItShowsIsServed() {
        Api api = new Api(port);
        api.subscribe("guild-watched", "pro");
        api.awaitPublished();
        meters.circuitOpened("orders", "fulfilment.parcel");
        Map<String, Set<String>> scrape =
                Scrapes.labels(api.get("/actuator/prometheus").getBody());

        List<String> queries = panels.findValuesAsString("expr");

        assertThat(queries)
                .hasSizeGreaterThan(20)
                .allSatisfy((query) ->
                        Labels.check(PromQl.parse(query.replace("$__rate_interval", "5m")), scrape, Set.of()));
    }

    @Test
    void everyQueryIsRestrictedToTheChosenApplications() {
        assertThat(panels.findValuesAsString("expr"))
                .flatExtracting((query) -> PromQl.selectors(PromQl.parse(query.replace("$__rate_interval", "5m"))))
                .hasSizeGreaterThan(20)
                .allSatisfy((selector) -> assertThat(selector.matchers())
                        .contains(new Expression.Matcher("application", "=~", "$application")));
    }

    @Test
    void itTurnsRedWhereTheAlertsDo() {
        assertThat(threshold("Unpublished events")).isEqualTo(number("alerts.unpublished"));
        assertThat(threshold("Oldest event"))
                .isEqualTo(DurationStyle.detectAndParse(settings.getRequiredProperty("alerts.oldest"))
                        .toSeconds());
        assertThat(threshold("Dead letters")).isEqualTo(number("alerts.dead"));
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
