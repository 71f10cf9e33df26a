package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.internal.metrics.OutboxMeters;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard that is shipped, and the meters that it shows. */
@SampleTest
class DashboardTest {

    private static final Path DASHBOARD =
            Path.of("..", "docs", "monitoring", "grafana-dashboard.json").toAbsolutePath();

    private static final Pattern FAILURES = Pattern.compile("outbox_processed_total\\{(?![^}]*result=\"success\")");

    private static final Pattern GAUGE = Pattern.compile("outbox_.*(?<!_total|_count|_sum|_max|_bucket)");

    @Autowired
    private Api api;

    @Autowired
    private JsonMapper json;

    @Autowired
    private OutboxMeters meters;

    private JsonNode panels;

    @BeforeEach
    void read() {
        panels = json.readTree(DASHBOARD).path("panels");
    }

    @Test
    void everyMetricAndLabelThatItShowsIsServed() {
        Api api = workedService();
        Map<String, Set<String>> scrape =
                Scrapes.labels(api.get("/actuator/prometheus").getBody());

        assertThat(panels.findValuesAsString("expr"))
                .hasSizeGreaterThan(20)
                .allSatisfy((query) -> Labels.check(query, scrape, Set.of("instance")));
    }

    @Test
    @EnabledIf(value = Promtool.INSTALLED, disabledReason = Promtool.MISSING)
    void everyQueryHasAResult() {
        Api api = workedService();
        api.fault("fulfilment.order", "failPercent=100");
        api.order("teapot");
        Promtool prometheus = new Promtool();
        prometheus.scrape(await().atMost(Api.DEADLINE)
                .until(
                        () -> api.get("/actuator/prometheus").getBody(),
                        (scrape) -> FAILURES.matcher(scrape).find()));
        api.delete("/demo/faults");
        prometheus.scrapeAgain(1);

        assertThat(panels.findValuesAsString("expr"))
                .allSatisfy((query) -> prometheus.assertResult(query.replace("$application", ".*")
                        .replace("$instance", ".*")
                        .replace("$__rate_interval", "5m")));
    }

    @Test
    void everyQueryIsRestrictedToTheChosenInstances() {
        assertThat(panels.findValuesAsString("expr"))
                .allSatisfy((query) -> assertThat(query)
                        .doesNotContainPattern(
                                "\\boutbox_\\w++(?!\\{application=~\"\\$application\",instance=~\"\\$instance\")"));
    }

    @Test
    void everyGaugeIsShown() {
        Set<String> metrics = Scrapes.labels(
                        workedService().get("/actuator/prometheus").getBody())
                .keySet();

        assertThat(metrics)
                .filteredOn((metric) -> GAUGE.matcher(metric).matches())
                .hasSizeGreaterThan(12)
                .allSatisfy((gauge) -> assertThat(String.join("\n", panels.findValuesAsString("expr")))
                        .contains(gauge + "{"));
    }

    @Test
    void everyLinkLeadsToAPageOfTheConsole() {
        assertThat(panels.findValuesAsString("url")).hasSizeGreaterThan(10).allSatisfy((link) -> {
            assertThat(link).startsWith("${console}");
            String page = link.replace("${console}", "/outbox")
                    .replace("${__field.labels.handler}", "fulfilment.order")
                    .replace("${__field.labels.stream}", "push");
            assertThat(page).doesNotContain("$");
            await().atMost(Api.DEADLINE).until(() -> api.get(page).getStatusCode() == HttpStatus.OK);
        });
    }

    @Test
    void itTurnsRedWhereTheAlertsDo() {
        assertThat(threshold("Unpublished events")).isEqualTo(1000);
        assertThat(threshold("Oldest event")).isEqualTo(60);
        assertThat(threshold("Dead letters")).isEqualTo(10);
        assertThat(threshold("Retries per event")).isEqualTo(1);
    }

    /** Has delivered events, and has had an open circuit. */
    private Api workedService() {
        api.subscribe("guild-" + UUID.randomUUID(), "pro");
        api.awaitPublished();
        meters.circuitOpened("orders", "fulfilment.parcel");
        return api;
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
