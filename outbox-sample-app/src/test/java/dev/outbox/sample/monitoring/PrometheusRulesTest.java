package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.internal.metrics.OutboxMeters;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.testing.SourceTree;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The rules that are shipped and the runbook, against a scrape and the console of the service. */
@SampleTest
class PrometheusRulesTest {

    private static final String RUNBOOK = SourceTree.read(SourceTree.ROOT.resolve("docs/monitoring/README.md"));
    private static final Pattern METRIC = Pattern.compile("outbox_\\w+");
    private static final Pattern BOLD = Pattern.compile("\\*\\*([^*]+)\\*\\*");
    private static final String HANDLER = "fulfilment.order";
    private static final String SECONDS = "4447.25";
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
        List<String> runbook = RUNBOOK.lines()
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
                .filteredOn((rule) -> !rule.hasConsole())
                .extracting(AlertRule::name)
                .containsExactly("OutboxNotScraped");
    }

    /** Fires all alerts but that of missing gauges, and that of pauses, which takes a day, for a stream and a handler of the service. */
    @ParameterizedTest
    @EnabledIf(value = Promtool.INSTALLED, disabledReason = Promtool.MISSING)
    @ValueSource(strings = {"shop", ""})
    void everyAlertLeadsToItsPlaceInTheConsole(String application) {
        Promtool prometheus = new Promtool();
        IntStream.range(0, 12).forEach((minute) -> prometheus.scrape(troubled(application, minute)));

        assertThat(rules.values())
                .filteredOn((rule) -> rule.hasConsole() && !rule.name().equals("OutboxPaused"))
                .allSatisfy((rule) -> {
                    Map<String, String> annotations =
                            prometheus.annotations(rule.name()).get(0);
                    assertThat(annotations.get("summary"))
                            .matches((application.isEmpty() ? "" : application + ": ") + "[A-Z0-9].*")
                            .doesNotContain(SECONDS, "%!");
                    assertThat(annotations.get("console_url"))
                            .startsWith(
                                    application.isEmpty()
                                            ? "https://example.com/outbox"
                                            : "https://shop.example.com/outbox")
                            .satisfies((link) -> assertLeadsToItsPlace(URI.create(link), rule));
                });
    }

    private void assertLeadsToItsPlace(URI link, AlertRule rule) {
        String query = Objects.requireNonNullElse(link.getQuery(), "");
        ResponseEntity<String> page = await().atMost(Api.DEADLINE)
                .until(
                        () -> api.get(link.getPath() + "?" + query),
                        (answer) -> answer.getStatusCode() == HttpStatus.OK);

        if (link.getFragment() != null) {
            assertThat(page.getBody()).contains("<h2 id=\"" + link.getFragment() + "\"");
        }
        if (rule.expression().contains("by (application, handler)")) {
            assertThat(query).isEqualTo("handler=" + HANDLER);
        }
        if (!query.isEmpty()) {
            assertThat(page.getBody()).contains("<bdi>" + query.substring(query.indexOf('=') + 1) + "</bdi>");
        }
    }

    /** A scrape in which all gauges are high, and all counters grow but that of claims. */
    private String troubled(String application, int minute) {
        String labels = "stream=\"push\",handler=\"" + HANDLER + "\""
                + (application.isEmpty() ? "" : ",application=\"" + application + "\"");
        Stream<String> samples = rules.values().stream()
                .flatMap((rule) -> METRIC.matcher(rule.expression()).results())
                .map(MatchResult::group)
                .distinct()
                .map((metric) -> "%s{%s} %s".formatted(metric, labels, value(metric, minute)));
        return Stream.concat(samples, Stream.of("outbox_pending_events{" + labels.replace("push", "unknown") + "} NaN"))
                .collect(Collectors.joining("\n"));
    }

    private static Object value(String metric, int minute) {
        if (metric.endsWith("_paused") || metric.startsWith("outbox_claim_")) {
            return 0;
        }
        return metric.endsWith("_sum") ? minute * 1e6 : metric.matches(".*_(count|total)") ? minute : SECONDS;
    }

    @Test
    void everySectionBeginsWithWhatToClick() {
        List<String> sections = List.of(RUNBOOK.split("(?m)^### "));

        assertThat(sections.subList(1, sections.size()))
                .allSatisfy(
                        (section) -> assertThat(section.split("```|\\n\\|")[0]).containsPattern(BOLD));
    }

    @Test
    void everythingToClickIsInTheConsole() {
        String console = SourceTree.files("outbox-console/src/main", ".*\\.(html|java)").stream()
                .map(SourceTree::read)
                .collect(Collectors.joining());
        List<String> labels = Stream.of(RUNBOOK, SourceTree.read(SourceTree.ROOT.resolve("docs/paged.md")))
                .flatMap((page) -> BOLD.matcher(page).results())
                .flatMap((label) -> Stream.of(label.group(1).split("…")))
                .map(String::strip)
                .toList();

        assertThat(labels)
                .hasSizeGreaterThan(40)
                .allSatisfy((label) -> assertThat(console).containsPattern("[>'\"] ?" + Pattern.quote(label)));
    }

    @Test
    void everyQueryOfTheRunbookRuns() {
        List<String> queries = SQL.matcher(RUNBOOK)
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
