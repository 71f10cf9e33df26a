package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.trading.TradingApi;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** Names and labels of the event bus document, in a scrape. */
@SampleTest
@Import(FreshGauges.class)
@TestPropertySource(properties = "sample.metrics.names=everbit")
class EverbitNamesTest {

    @Autowired
    private Api api;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void metersHaveTheNamesAndLabelsOfTheDocument() {
        new TradingApi(api).signal("BUY", "1");
        api.awaitPublished();

        String scrape = api.get("/actuator/prometheus").getBody();
        Map<String, Set<String>> labels = Scrapes.labels(scrape);

        assertThat(labels)
                .containsEntry("everbit_outbox_pending", Set.of("stream"))
                .containsEntry("everbit_outbox_processing", Set.of("stream"))
                .containsEntry("everbit_outbox_dead", Set.of("stream"))
                .containsEntry("everbit_outbox_oldest_pending_seconds", Set.of("stream"))
                .containsEntry("everbit_outbox_processed_total", Set.of("stream", "result"))
                .containsEntry("everbit_outbox_handler_duration_seconds_bucket", Set.of("stream", "eventType", "le"))
                .containsEntry("everbit_outbox_handler_duration_seconds_sum", Set.of("stream", "eventType"))
                .containsEntry("everbit_outbox_handler_duration_seconds_count", Set.of("stream", "eventType"));
        assertThat(labels.keySet())
                .filteredOn((name) -> name.startsWith("everbit_"))
                .containsExactlyInAnyOrder(
                        "everbit_outbox_pending",
                        "everbit_outbox_processing",
                        "everbit_outbox_dead",
                        "everbit_outbox_oldest_pending_seconds",
                        "everbit_outbox_processed_total",
                        "everbit_outbox_handler_duration_seconds_bucket",
                        "everbit_outbox_handler_duration_seconds_sum",
                        "everbit_outbox_handler_duration_seconds_count",
                        "everbit_outbox_handler_duration_seconds_max");
        assertThat(labels).doesNotContainKeys("outbox_dead_deliveries", "outbox_processed_total");
        assertThat(scrape.lines().filter((line) -> line.startsWith("# HELP everbit_")))
                .hasSize(7)
                .allMatch((line) -> line.matches("# HELP \\w+ \\S.*"));
    }

    @Test
    void pendingEventsIncludeQueuedRedeliveries() {
        api.change("pause", "handler", "fulfilment.order");
        try {
            api.order("bell");
            await().until(() -> value("everbit_outbox_pending", Map.of("stream", "orders")) == 1
                    && value("outbox_retrying_events", Map.of("stream", "orders")) == 1);

            assertThat(value("everbit_outbox_oldest_pending_seconds", Map.of("stream", "orders")))
                    .isPositive();
        } finally {
            api.change("resume", "handler", "fulfilment.order");
        }
        api.awaitPublished();
    }

    @Test
    void attemptsOfAllHandlersAreAdded() {
        double before = processed();
        api.order("cup");
        api.awaitPublished();

        int handlers = jdbc.sql(
                        "SELECT count(*) FROM events.outbox_subscription WHERE event_type IN ('OrderPlaced', '*')")
                .query(Integer.class)
                .single();
        assertThat(handlers).isGreaterThan(1);
        await().untilAsserted(() -> assertThat(processed() - before).isEqualTo(handlers));
    }

    private double processed() {
        return value("everbit_outbox_processed_total", Map.of("stream", "orders", "result", "success"));
    }

    /** Adds the values of the series with the name and, among others, the labels. */
    private double value(String name, Map<String, String> labels) {
        return Scrapes.parse(api.get("/actuator/prometheus").getBody()).entrySet().stream()
                .filter((sample) -> sample.getKey().metric().equals(name)
                        && sample.getKey().labels().entrySet().containsAll(labels.entrySet()))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }
}
