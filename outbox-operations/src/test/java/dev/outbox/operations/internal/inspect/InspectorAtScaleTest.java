package dev.outbox.operations.internal.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.absence.AbsenceSteps;
import dev.outbox.internal.gauges.GaugeSteps;
import dev.outbox.internal.lane.Explained;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Count;
import dev.outbox.operations.EventSelection;
import dev.outbox.operations.FailureGroup;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.fixture.Operator;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import tools.jackson.databind.JsonNode;

/** Work of the inspector on large tables: it does not depend on their size. */
@Tag("full")
class InspectorAtScaleTest {

    private static final long MOST = Count.MOST;
    private static final int CALLS = 100;
    private static final Duration LONGEST = Duration.ofMillis(100);
    private static final EventSelection ALL = EventSelection.all();

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().withoutPolling();

    private final InspectedTables tables = new InspectedTables(outbox);

    @Test
    void statementsReadNoMoreThanTheyShow() throws SQLException {
        tables.load(200_000, 50_000, 20_000, 60_000);
        String event = "'" + tables.eventId("status = 'DEAD'") + "'";
        String published = "'" + tables.eventId("status = 'PUBLISHED'") + "'";

        JsonNode rates = explain(StatusStore.RATES, "", "");
        assertThat(Explained.rowsVisited(rates, "outbox_published")).isEqualTo(MOST);
        assertThat(Explained.indexesOf(rates)).containsExactly("outbox_published_at");

        JsonNode deliveries = explain(GaugeSteps.DELIVERIES, "", "");
        assertThat(Explained.indexesOf(deliveries)).containsOnly("outbox_delivery_backlog");
        assertThat(Explained.rowsVisited(deliveries, "outbox_delivery"))
                .as("at most 5,000 of each of 10 handlers, streams and statuses")
                .isBetween(25_000L, 50_100L);

        JsonNode groups = explain(FailureStore.GROUPS, "", "");
        assertThat(Explained.indexesOf(groups))
                .contains("outbox_delivery_failures", "outbox_delivery_backlog")
                .doesNotContain("outbox_delivery_dead", "outbox_delivery_unreported");
        assertThat(Explained.rowsVisited(groups, "outbox_delivery"))
                .as("at most 2,000 of each of 20 groups and status, and those that wait")
                .isBetween(50_000L, 100_000L);

        JsonNode lanes = explain(LaneStore.LANES, "text, text", "'order', 'big'");
        assertThat(Explained.rowsVisited(lanes, "outbox_delivery")).isBetween(2 * MOST, 2 * MOST + 20);
        assertThat(Explained.indexesOf(lanes))
                .contains("outbox_lane_pk", "outbox_delivery_lane", "outbox_delivery_lane_dead");
        assertThat(Explained.pages(explain(LaneStore.LANES, "text, text", "'order', 'FAILED17'")))
                .isLessThan(50);
        assertThat(Explained.pages(explain(LaneStore.FIRST, "text, text", "'order', 'big'")))
                .isLessThan(50);
        assertThat(Explained.rowsVisited(
                        explain(LaneStore.PENDING, "text, text", "'order', 'big'"), "outbox_unpublished"))
                .isEqualTo(MOST);
        JsonNode last = explain(LaneStore.PENDING, "text, text", "'order', 'PENDING50000'");
        assertThat(Explained.rowsVisited(last, "outbox_unpublished"))
                .as("the event, and at most 10,000 before it")
                .isEqualTo(MOST + 1);
        assertThat(Explained.indexesOf(last))
                .containsOnly("outbox_unpublished_aggregate", "outbox_unpublished_pending");

        for (String id : List.of(event, published)) {
            assertThat(Explained.pages(explain(EventStateStore.EVENT, "uuid", id)))
                    .isLessThan(50);
            assertThat(Explained.pages(explain(EventStateStore.DELIVERIES, "uuid", id)))
                    .isLessThan(50);
            assertThat(Explained.indexesOf(explain(OperationLogStore.OF_EVENT, "uuid", id)))
                    .containsExactly("outbox_operation_event");
            assertThat(Explained.pages(explain(EventStateStore.CONTENT, "uuid", id)))
                    .isLessThan(50);
        }
        assertThat(Explained.pages(explain(LaneStore.CLAIMED, "text, text", "'order', 'big'")))
                .isLessThan(20);
        assertThat(Explained.pages(explain(EventQueryStore.TYPES, "text", "'7'")))
                .isLessThan(50);
        assertThat(Explained.indexesOf(explain(OperationLogStore.PAUSES, "", "")))
                .contains("outbox_operation_pause");
        assertThat(Explained.pages(explain(HandlerStore.ALL, "", ""))).isLessThan(100);
        assertThat(Explained.pages(explain(InstanceRow.LIST, "", ""))).isLessThan(20);
        assertThat(Explained.pages(explain(AbsenceSteps.UNPOLLED, "", ""))).isLessThan(100);
        assertSearchesReadTheLatestEventsOnly();
        assertCountsSayThatTheyStopped(Operator.of(outbox).inspector());
    }

    private static void assertCountsSayThatTheyStopped(OutboxInspector inspector) {
        Count most = new Count(Count.MOST, false);
        assertThat(inspector.lanes("order", "big"))
                .extracting(LaneReport::counts)
                .containsExactly(new LaneReport.Counts(most, most, new Count(0, false)));
        Count mostOfTwenty = new Count(2_000, false);
        assertThat(inspector.failures())
                .extracting(FailureGroup::dead, FailureGroup::retrying)
                .containsOnly(tuple(mostOfTwenty, mostOfTwenty), tuple(new Count(250, true), mostOfTwenty));
        assertThat(inspector.overview().handlers())
                .isNotEmpty()
                .extracting(OutboxOverview.Handler::deliveries)
                .extracting(OutboxOverview.Deliveries::dead, OutboxOverview.Deliveries::open)
                .containsOnly(
                        tuple(new Count(5_000, false), new Count(5_000, false)),
                        tuple(new Count(1_000, true), new Count(5_000, false)));
    }

    /** Whatever matches, and wherever the page begins. */
    private void assertSearchesReadTheLatestEventsOnly() throws SQLException {
        for (String status : List.of("NULL", "'DEAD'", "'RETRYING'", "'PUBLISHED'")) {
            for (String type : List.of("NULL", "'OrderPlaced'", "'Unknown'")) {
                for (String aggregate : List.of("NULL", "'big'", "'7'")) {
                    for (String before : List.of("9223372036854775807", "150000")) {
                        String values = before + ", " + status + ", 'order', " + aggregate + ", " + type;
                        assertBounded(EventQueryStore.ANY, "bigint, text, text, text, text, int", values + ", 50");
                        assertBounded(
                                EventQueryStore.ANY_OF_TRACE,
                                "bigint, text, text, text, text, text, int",
                                values + ", 'none', 50");
                    }
                }
                for (String aggregate : List.of("big", "7", "unknown")) {
                    assertBounded(
                            EventQueryStore.AGGREGATE,
                            "text, text, text, bigint, text, int",
                            "'order', '" + aggregate + "', " + status + ", 9223372036854775807, " + type + ", 50");
                }
            }
        }
        assertReadsNothingOf("outbox_published", "RETRYING");
        assertReadsNothingOf("outbox_unpublished", "PUBLISHED");
    }

    private void assertReadsNothingOf(String partition, String status) throws SQLException {
        String values = "9223372036854775807, '" + status + "', NULL, NULL, 'Unknown', 50";
        JsonNode plan = assertBounded(EventQueryStore.ANY, "bigint, text, text, text, text, int", values);
        assertThat(Explained.rowsVisited(plan, partition)).as(status).isZero();
    }

    private JsonNode assertBounded(String sql, String types, String values) throws SQLException {
        JsonNode plan = explain(sql, types, values);
        assertThat(Explained.rowsVisited(plan, "outbox_published")).as(values).isLessThanOrEqualTo(2 * MOST);
        assertThat(Explained.rowsVisited(plan, "outbox_unpublished")).as(values).isLessThanOrEqualTo(2 * MOST + 50);
        return plan;
    }

    private JsonNode explain(String sql, String types, String values) throws SQLException {
        return new Explained(outbox.dataSource(), Pipeline.INSPECT).explain(sql, types, values);
    }

    /** Ten million events, a tenth of them dead letters. */
    @Test
    @Tag("chaos")
    void everyMethodTakesAtMostATenthOfASecond() throws Throwable {
        int events = Integer.getInteger("outbox.inspector.events", 10_000_000);
        tables.load(events * 8 / 10, events / 20, events / 10, events / 20);
        OutboxInspector inspector = Operator.of(outbox).inspector();
        UUID dead = tables.eventId("status = 'DEAD' AND aggregate_id = 'big'");
        UUID published = tables.eventId("status = 'PUBLISHED'");
        Map<String, Executable> methods = new LinkedHashMap<>();
        methods.put("overview", inspector::overview);
        methods.put("failures", inspector::failures);
        methods.put("lanes of an aggregate of 45,000 open events", () -> inspector.lanes("order", "big"));
        methods.put("lanes", () -> inspector.lanes("order", "FAILED17"));
        methods.put("findEvent, dead", () -> inspector.findEvent(dead));
        methods.put("findEvent, published", () -> inspector.findEvent(published));
        methods.put("findContent", () -> inspector.findContent(published));
        methods.put("findEvents", () -> inspector.findEvents(ALL, 100));
        methods.put(
                "findEvents of a type",
                () -> inspector.findEvents(new EventSelection(null, null, "OrderPlaced", null, null, null), 100));
        methods.put(
                "findEvents of no type",
                () -> inspector.findEvents(new EventSelection(null, null, "Unknown", null, null, null), 100));
        methods.put(
                "findEvents of the aggregate",
                () -> inspector.findEvents(EventSelection.ofAggregate("order", "big"), 100));
        methods.put(
                "findEvents of an old aggregate",
                () -> inspector.findEvents(EventSelection.ofAggregate("order", "7"), 100));
        methods.put(
                "findEvents of a trace",
                () -> inspector.findEvents(new EventSelection(null, null, null, "none", null, null), 100));
        methods.put(
                "findEvents of a trace, in history",
                () -> inspector.findEvents(new EventSelection(null, null, null, "none", null, events / 2L), 100));

        Map<String, Duration> p95 = new LinkedHashMap<>();
        for (Map.Entry<String, Executable> method : methods.entrySet()) {
            List<Duration> times = measured(method.getValue());
            p95.put(method.getKey(), times.get(CALLS * 95 / 100 - 1));
            System.out.printf(
                    "inspector at %,d events: %s: median %.1f ms, p95 %.1f ms, longest %.1f ms%n",
                    events,
                    method.getKey(),
                    millis(times.get(CALLS / 2)),
                    millis(times.get(CALLS * 95 / 100 - 1)),
                    millis(times.get(CALLS - 1)));
        }
        assertThat(p95).allSatisfy((method, time) -> assertThat(time).isLessThanOrEqualTo(LONGEST));
    }

    private static List<Duration> measured(Executable method) throws Throwable {
        List<Duration> times = new ArrayList<>();
        for (int call = 0; call < CALLS; call++) {
            long begun = System.nanoTime();
            method.execute();
            times.add(Duration.ofNanos(System.nanoTime() - begun));
        }
        return times.stream().sorted().toList();
    }

    private static double millis(Duration time) {
        return time.toNanos() / 1e6;
    }
}
