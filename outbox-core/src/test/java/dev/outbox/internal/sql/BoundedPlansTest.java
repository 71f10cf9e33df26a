package dev.outbox.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.BulkRows;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.absence.AbsenceSteps;
import dev.outbox.internal.gauges.GaugeSteps;
import dev.outbox.internal.gauges.QueueState;
import dev.outbox.internal.lane.Explained;
import dev.outbox.internal.registry.InstanceStore;
import dev.outbox.internal.retention.RetentionSteps;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Buffers that statements read on large tables of reused pages, with the plan that a prepared statement has. */
@Tag("full")
class BoundedPlansTest {

    private static final int ROWS = 60_000;
    private static final int BATCH = 100;
    private static final Duration MONTH = Duration.ofDays(30);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final BulkRows rows = new BulkRows(outbox);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void archiveReadsItsBatchOnly(boolean analyzed) throws SQLException {
        addHistory("2 years", ROWS);
        outbox.update("DELETE FROM events.outbox_published");
        outbox.update("VACUUM events.outbox_published");
        addHistory("1 day", ROWS);
        addHistory("31 days", 5 * BATCH);
        analyze(analyzed, "events.outbox_published");

        JsonNode first = explainArchive("-infinity");
        assertThat(Explained.rowsVisited(first, "outbox_published")).isBetween((long) BATCH, 3L * BATCH);
        assertThat(Explained.pages(first)).isLessThan(20 * BATCH);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lastBatchOfArchiveReadsAsLittle(boolean analyzed) throws SQLException {
        addHistory("1 day", BATCH);
        addHistory("31 days", ROWS);
        analyze(analyzed, "events.outbox_published");
        RetentionSteps retention = new RetentionSteps(outbox, MONTH, false, ROWS - BATCH);

        assertThat(retention.next()).isEqualTo(ROWS - BATCH);
        JsonNode last = explainArchive(retention.upTo().toString());
        assertThat(Explained.rowsVisited(last, "outbox_published")).isBetween((long) BATCH, 3L * BATCH);
        assertThat(Explained.pages(last)).isLessThan(20 * BATCH);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void archiveReadsOnceWhatAReplayHolds(boolean analyzed) throws SQLException {
        addHistory("1 day", ROWS);
        addHistory("31 days", 5 * BATCH);
        outbox.update("""
                        INSERT INTO events.outbox_replay (handler_id, rate, after_id, up_to_id, requested_by, reason, finished_at)
                        SELECT 'mail', 1, 0, 1000000, 'ann', 'past', CASE WHEN n <= 1000 THEN now() END
                          FROM generate_series(1, 1001) n
                        """);
        analyze(analyzed, "events.outbox_published, events.outbox_replay");

        JsonNode plan = explainArchive("-infinity");
        assertThat(Explained.rowsVisited(plan, "outbox_published")).isEqualTo(5 * BATCH);
        assertThat(Explained.rowsVisited(plan, "outbox_replay")).isEqualTo(5 * BATCH);
        assertThat(Explained.pages(plan)).isLessThan(5 * 5 * BATCH);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void purgeReadsItsBatchOnly(boolean analyzed) throws SQLException {
        addProcessed("2 years", ROWS);
        outbox.update("DELETE FROM events.processed_event");
        outbox.update("VACUUM events.processed_event");
        addProcessed("1 day", ROWS);
        addProcessed("31 days", 5 * BATCH);
        analyze(analyzed, "events.processed_event");

        JsonNode plan = new Explained(outbox.dataSource(), Pipeline.IN_INDEX_ORDER)
                .explain(
                        RetentionSteps.PURGE,
                        "timestamptz, bigint, int",
                        "'-infinity', " + MONTH.toMillis() + ", " + BATCH);
        assertThat(Explained.rowsVisited(plan, "processed_event")).isBetween((long) BATCH, 3L * BATCH);
        assertThat(Explained.pages(plan)).isLessThan(20 * BATCH);
    }

    /** The other tables are trimmed by the same statement. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void trimReadsItsPageOnly(boolean analyzed) throws SQLException {
        addHistory("1 day", ROWS);
        outbox.sql().sql("""
                        INSERT INTO events.outbox_operation (performed_by, action, reason, event_id, performed_at)
                        SELECT 'ann', 'SKIP', 'sent', gen_random_uuid(), now() - interval '31 days'
                          FROM generate_series(1, :rows)
                        """).param("rows", ROWS).update();
        analyze(analyzed, "events.outbox_operation, events.outbox_published");

        JsonNode plan = new Explained(outbox.owner(), Pipeline.IN_INDEX_ORDER)
                .explain(
                        RetentionSteps.TRIM_OPERATIONS,
                        "bigint, bigint, int",
                        MONTH.toMillis() + ", " + ROWS / 2 + ", " + BATCH);
        assertThat(Explained.rowsVisited(plan, "outbox_operation")).isBetween((long) BATCH, 3L * BATCH);
        assertThat(Explained.pages(plan)).isLessThan(30 * BATCH);
    }

    @ParameterizedTest
    @CsvSource({
        "now() + interval '1 h', false, 0",
        "now() + interval '1 h', true, 0",
        "now() - interval '1 h', true, 1",
        "now() - interval '1 h', false, 2"
    })
    void claimOfOneDueLaneReadsNoOtherLane(String due, boolean leased, int crashes) throws SQLException {
        outbox.addStream("default");
        rows.lanes(ROWS, due, leased, crashes);
        rows.lanes(1, "now() - interval '1 s'", false, 0);
        analyze(true, "events.outbox_delivery, events.outbox_lane");

        List<JsonNode> claim = new Explained(outbox.dataSource()).explainClaimOfLanes(List.of("mail"), 50, 200, false);
        assertThat(claim.get(1).get("Actual Rows").asLong()).isEqualTo(1);
        assertThat(claim).allSatisfy((plan) -> assertThat(Explained.pages(plan)).isLessThan(60));
        assertThat(Explained.pages(new Explained(outbox.dataSource()).explainUntilNext(List.of("mail"), "-infinity")))
                .isLessThan(30);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void signOfLifeReadsNoWorkThatWaitsForLater(boolean analyzed) throws SQLException {
        outbox.addStream("default");
        addHistory("1 day", ROWS);
        rows.lanes(ROWS, "now() + interval '1 h'", false, 0);
        outbox.update("UPDATE events.outbox_delivery SET report_at = 'infinity'");
        analyze(analyzed, "events.outbox_delivery, events.outbox_lane, events.outbox_unpublished");

        JsonNode plan = new Explained(outbox.dataSource())
                .explain(
                        InstanceStore.SEEN,
                        "text, text[], text[], text[], text[], text, text[]",
                        "'own', '{default}', '{mail}', '{}', '{}', '{}', '{mail}'");
        assertThat(Explained.rowsVisited(plan, "outbox_lane")).isZero();
        assertThat(Explained.rowsVisited(plan, "outbox_unpublished")).isZero();
        assertThat(Explained.rowsVisited(plan, "outbox_delivery")).isZero();
    }

    @Test
    void sharedHandlersAreFoundAmongInstancesOnly() throws SQLException {
        outbox.update("""
                        INSERT INTO events.outbox_instance (name, application, streams, open_circuits, handlers)
                        SELECT 'i' || n, 'shop', '{default}', '{}', array_fill('mail' || n, ARRAY[60])
                          FROM generate_series(1, 100) n
                        """);
        analyze(true, "events.outbox_instance");

        JsonNode plan = new Explained(outbox.dataSource())
                .explain(InstanceStore.NAME, "text, text[], text, text[]", "'billing', '{}', 'i1', '{mail2}'");
        assertThat(plan.get("Actual Rows").asLong()).isOne();
        assertThat(Explained.pages(plan)).isLessThan(40);
    }

    @Test
    void gaugesReadNoMoreThanTheyCount() throws SQLException {
        rows.lanes(ROWS, "now() + interval '1 h'", false, 0);
        rows.events(ROWS, "gen_random_uuid()::text", "1");
        analyze(true, "events.outbox_delivery, events.outbox_unpublished");

        JsonNode plan = new Explained(outbox.dataSource(), Pipeline.IN_INDEX_ORDER).explain(GaugeSteps.COUNT, "", "");
        assertThat(Explained.rowsVisited(plan, "outbox_unpublished"))
                .as("pending and retrying events")
                .isBetween(2L * Counted.MOST, 2L * Counted.MOST + 10);
        assertThat(Explained.rowsVisited(plan, "outbox_delivery")).isBetween((long) Counted.MOST, Counted.MOST + 10L);
        assertThat(GaugeSteps.count(outbox.dataSource()).get("default"))
                .extracting(QueueState.Stream::pending, QueueState.Stream::retrying)
                .containsExactly(new Counted(ROWS, false), new Counted(Counted.MOST, false));
    }

    @Test
    void gaugesReadNoMoreDeadLettersThanTheyCount() throws SQLException {
        rows.lanes(ROWS, "now()", false, 0);
        outbox.update("UPDATE events.outbox_delivery SET status = 'BLOCKING', next_retry_at = 'infinity'");
        analyze(true, "events.outbox_delivery, events.outbox_unpublished");

        JsonNode plan = new Explained(outbox.dataSource(), Pipeline.IN_INDEX_ORDER).explain(GaugeSteps.COUNT, "", "");
        assertThat(Explained.rowsVisited(plan, "outbox_delivery")).isBetween((long) Counted.MOST, Counted.MOST + 10L);
        assertThat(GaugeSteps.count(outbox.dataSource()).get("default"))
                .extracting(QueueState.Stream::dead, QueueState.Stream::blockedLanes, QueueState.Stream::pending)
                .containsExactly(
                        new Counted(Counted.MOST, false), new Counted(Counted.MOST, false), new Counted(0, true));
    }

    @Test
    void expiredHandlersAreFoundWithoutReadingDeliveries() throws SQLException {
        outbox.update("INSERT INTO events.outbox_handler (id) VALUES ('mail')");
        outbox.update("INSERT INTO events.outbox_subscription (handler_id, event_type) VALUES ('mail', '*')");
        outbox.update("INSERT INTO events.outbox_subscription (handler_id, event_type, last_seen_at)"
                + " VALUES ('mail', 'Gone', now() - interval '1 year')");
        rows.lanes(ROWS, "now() + interval '1 h'", false, 0);
        analyze(true, "events.outbox_delivery");

        Explained explained = new Explained(outbox.dataSource());
        assertThat(Explained.pages(
                        explained.explain(AbsenceSteps.DELETE_SUBSCRIPTIONS, "bigint", "" + MONTH.toMillis())))
                .as("with a row of the operation log")
                .isLessThan(150);
        assertThat(Explained.pages(explained.explain(AbsenceSteps.DELETE_HANDLERS, "", "")))
                .isLessThan(50);
        assertThat(Explained.pages(explained.explain(AbsenceSteps.EXPIRED, "bigint, int", MONTH.toMillis() + ", 500")))
                .isLessThan(50);
        assertThat(Explained.pages(
                        explained.explain(AbsenceSteps.EXPIRE, "text, text, text", "'mail', 'ann', 'removed'")))
                .isLessThan(100);
        assertThat(Explained.pages(explained.explain(AbsenceSteps.ABSENT, "", "")))
                .isLessThan(60);
        assertThat(Explained.pages(explained.explain(AbsenceSteps.UNTIL_EXPIRY, "bigint", "900000")))
                .isLessThan(20);
        assertThat(Explained.pages(explained.explain(AbsenceSteps.EXPIRE_UNRENEWED, "bigint", "900000")))
                .isLessThan(100);
        assertThat(Explained.pages(explained.explain(
                        AbsenceSteps.EXPIRE_SUBSCRIPTION,
                        "text, text, text, text",
                        "'mail', 'Gone', 'ann', 'removed'")))
                .isLessThan(100);
        outbox.update("DELETE FROM events.outbox_subscription");
        JsonNode absent = explained.explain(AbsenceSteps.ABSENT, "", "");
        assertThat(Explained.rowsVisited(absent, "outbox_delivery"))
                .isBetween((long) Counted.MOST_OF_EACH, Counted.MOST_OF_EACH + 20L);
    }

    @Test
    void absentHandlersAreFoundWithOneLookAtTheInstances() throws SQLException {
        outbox.update("INSERT INTO events.outbox_handler (id) SELECT 'h' || n FROM generate_series(1, 30) n");
        outbox.update("INSERT INTO events.outbox_subscription (handler_id, event_type)"
                + " SELECT h.id, 'Type' || n FROM events.outbox_handler h, generate_series(1, 10) n");
        outbox.update("""
                        INSERT INTO events.outbox_instance (name, streams, open_circuits, handlers, subscriptions)
                        SELECT 'i' || n, '{default}', '{}', '{}',
                               ARRAY(SELECT concat_ws(chr(31), s.handler_id, s.event_type, '*', '*', '*')
                                       FROM events.outbox_subscription s)
                          FROM generate_series(1, 4) n
                        """);
        outbox.update("""
                        INSERT INTO events.outbox_delivery
                               (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status, next_retry_at)
                        SELECT row_number() OVER (), s.handler_id, 'default', 'order', '1', 1, s.event_type, 'OPEN', now()
                          FROM events.outbox_subscription s
                        """);
        outbox.update("VACUUM ANALYZE");

        JsonNode plan = new Explained(outbox.dataSource()).explain(AbsenceSteps.ABSENT, "", "");
        assertThat(plan.get("Actual Rows").asLong()).isZero();
        assertThat(Explained.rowsVisited(plan, "outbox_instance")).isEqualTo(4);
        assertThat(Explained.rowsVisited(plan, "outbox_subscription"))
                .as("those of the handler, for each kind of delivery")
                .isLessThanOrEqualTo(300 * 10);
    }

    private JsonNode explainArchive(String from) throws SQLException {
        return new Explained(outbox.dataSource(), Pipeline.IN_INDEX_ORDER)
                .explain(
                        RetentionSteps.ARCHIVE.replace("{archive}", "audit"),
                        "timestamptz, bigint, int, boolean",
                        "'" + from + "', " + MONTH.toMillis() + ", " + BATCH + ", true");
    }

    private void analyze(boolean analyzed, String table) {
        if (analyzed) {
            outbox.update("VACUUM ANALYZE " + table);
        }
    }

    private void addHistory(String age, int events) {
        outbox.sql().sql("""
                        INSERT INTO events.outbox_published
                               (id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status, dispatched_at,
                                published_at)
                        SELECT nextval('events.outbox_id_seq'), 'order', n::text, 1, 'OrderPlaced', '{"number": 1}', 'PUBLISHED',
                               now(), now() - :age::interval + n * interval '1 ms'
                          FROM generate_series(1, :events) n
                        """).param("age", age).param("events", events).update();
    }

    private void addProcessed(String age, int events) {
        outbox.sql().sql("""
                        INSERT INTO events.processed_event (event_id, handler_id, processed_at)
                        SELECT gen_random_uuid(), 'mail', now() - :age::interval + n * interval '1 ms'
                          FROM generate_series(1, :events) n
                        """).param("age", age).param("events", events).update();
    }
}
