package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.metrics.OutboxMeters;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.testing.SourceTree;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The rules that are shipped, against a scrape of the service and the runbook. */
@SampleTest
class PrometheusRulesTest {

    private static final Pattern SQL = Pattern.compile("```sql\\R(.*?)```", Pattern.DOTALL);

    private final Map<String, AlertRule> rules = AlertRule.byName();

    @Autowired
    private Api api;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private OutboxMeters meters;

    @Test
    void everyAlertIsDriven() {
        String test = SourceTree.tests().get("AlertConditionsTest");

        assertThat(rules).hasSizeGreaterThan(10);
        assertThat(rules.keySet()).allSatisfy((alert) -> assertThat(test).contains("Fires(\"" + alert + "\""));
    }

    @Test
    @EnabledIf(value = Promtool.INSTALLED, disabledReason = Promtool.MISSING)
    void rulesAreValid() {
        Promtool.checkRules();
    }

    @Test
    void everyMetricAndLabelExistsInAScrape() {
        api.subscribe("guild-" + UUID.randomUUID(), "pro");
        api.awaitPublished();
        meters.circuitOpened("orders", "fulfilment.parcel");
        Map<String, Set<String>> labels =
                Scrapes.labels(api.get("/actuator/prometheus").getBody());

        assertThat(rules.values())
                .flatMap((rule) -> List.of(rule.expression().split("\\bor\\b")))
                .allSatisfy((expression) -> Labels.check(expression, labels, Set.of("instance")));
    }

    @Test
    void everyAlertHasItsSectionInTheRunbook() {
        List<String> runbook = SourceTree.read(SourceTree.ROOT.resolve("docs/monitoring/README.md"))
                .lines()
                .filter((line) -> line.startsWith("### Outbox"))
                .map((line) -> line.substring(4))
                .toList();

        assertThat(runbook)
                .containsExactlyElementsOf(
                        AlertRule.all().stream().map(AlertRule::name).toList());
        assertThat(rules.values())
                .allSatisfy((rule) -> assertThat(rule.annotations().get("runbook_url"))
                        .endsWith("/docs/monitoring/README.md#" + rule.name().toLowerCase(Locale.ROOT)))
                .allSatisfy((rule) -> assertThat(rule.annotations()).containsKey("summary"));
        assertThat(rules.values())
                .filteredOn((rule) -> !rule.annotations().containsKey("console_url"))
                .extracting(AlertRule::name)
                .containsExactly("OutboxNotScraped");
    }

    @Test
    void everyQueryOfTheRunbookRuns() {
        List<String> queries = SQL.matcher(SourceTree.read(SourceTree.ROOT.resolve("docs/monitoring/README.md")))
                .results()
                .flatMap((block) -> Stream.of(block.group(1).split(";")))
                .filter((query) -> !query.isBlank())
                .toList();

        assertThat(queries)
                .hasSizeGreaterThan(8)
                .allSatisfy((query) ->
                        assertThat(jdbc.sql(query).query().listOfRows()).isNotNull());
    }
}
