package dev.outbox.internal.lane;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.absence.AbsenceSteps;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.lease.LeaseSteps;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.internal.operate.OperateSteps;
import dev.outbox.operations.internal.replay.ReplayFeeders;
import dev.outbox.testing.OpenTransaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * What each statement of lanes visits for a batch of 500 beside 10,000 lanes, whatever the planner knew of them: as much as its batch, and
 * neither all heads nor the batch for each of its events.
 */
@Tag("full")
class LaneStatementsTest {

    private static final int LANES = 10_000;
    private static final int BATCH = 500;
    private static final int ROWS_OF_A_TABLE = 8 * BATCH;
    private static final int ROWS = 100 * BATCH;
    private static final String TOKEN = "00000000-0000-0000-0000-000000000001";

    /** Lanes of the batches; all others are like {@code LEASED}. An event has the id 3 x lane + its sequence. */
    private enum Group {
        /** Three deliveries that are due; a replay added the last. */
        DUE,
        /** A dead delivery in front of one that is due, and an event without deliveries. */
        BEHIND_DEAD,
        /** Two deliveries of a worker, and an event that the worker delivers for the first time. */
        LEASED;

        LongStream lanes() {
            return LongStream.range((long) ordinal() * BATCH, (ordinal() + 1L) * BATCH);
        }

        LongStream events(int seq) {
            return lanes().map((lane) -> 3 * lane + seq);
        }
    }

    /** What the planner knows: tables without a row, or without a lane. */
    private enum Statistics {
        OF_EMPTY_TABLES,
        OF_DEAD_LETTERS
    }

    private record Step(String name, String sql, Group group, int seq, String kind) {

        Step(String name, String sql, Group group, int seq) {
            this(name, sql, group, seq, "NONE");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final List<Step> STEPS = List.of(
            new Step("LOCK_EVENTS", LaneSql.LOCK_EVENTS, Group.LEASED, 1),
            new Step("LOCK_LANES", LaneSql.LOCK_LANES, Group.LEASED, 1),
            new Step("LOCK_LANES that are missing", LaneSql.LOCK_LANES, Group.BEHIND_DEAD, 1),
            new Step("QUEUE", ClaimSteps.QUEUE, Group.LEASED, 3, "FAILED"),
            new Step("SHRINK_CLAIM", ClaimSteps.SHRINK_CLAIM, Group.LEASED, 3),
            new Step("FIND_LOCKED", ClaimSteps.FIND_LOCKED, Group.LEASED, 3),
            new Step("LOCK_DUE", DeliveryClaimStore.LOCK_DUE, Group.DUE, 1),
            new Step("TAKE", DeliveryClaimStore.TAKE, Group.DUE, 1),
            new Step("RELEASE of a claim", LeaseSteps.RELEASE, Group.LEASED, 1),
            new Step("RELEASE_UNREAD", LeaseSteps.RELEASE_UNREAD, Group.LEASED, 1),
            new Step("LOCK_EXPIRED", LeaseSteps.LOCK_EXPIRED, Group.LEASED, 1),
            new Step("END_EXPIRED", LeaseSteps.END_EXPIRED, Group.LEASED, 1),
            new Step("SIZE", SingleEventStore.SIZE, Group.LEASED, 1),
            new Step("EVENT", SingleEventStore.EVENT, Group.LEASED, 1),
            new Step("UNTIL_NEXT", LaneSql.UNTIL_NEXT, Group.DUE, 1),
            new Step("LOCK_CLAIMED_EVENTS", LaneSql.LOCK_CLAIMED_EVENTS, Group.LEASED, 1),
            new Step("LOCK_CLAIMED_LANES", LaneSql.LOCK_CLAIMED_LANES, Group.LEASED, 1),
            new Step("SETTLE what succeeded", DeliverySettlementStore.SETTLE, Group.LEASED, 1, "SUCCEEDED"),
            new Step("SETTLE what failed", DeliverySettlementStore.SETTLE, Group.LEASED, 1, "FAILED"),
            new Step("RELEASE", LaneSql.RELEASE, Group.LEASED, 1),
            new Step("REFRESH", LaneSql.REFRESH, Group.LEASED, 1),
            new Step("REFRESH of idle lanes", LaneSql.REFRESH, Group.DUE, 1),
            new Step("COMPLETE of open events", LaneSql.COMPLETE, Group.LEASED, 1),
            new Step("COMPLETE of completed events", LaneSql.COMPLETE, Group.BEHIND_DEAD, 3),
            new Step("RETRY", OperateSteps.RETRY, Group.BEHIND_DEAD, 1),
            new Step("SKIP", OperateSteps.SKIP, Group.BEHIND_DEAD, 1),
            new Step("DEAD_LETTER", AbsenceSteps.DEAD_LETTER, Group.DUE, 3),
            new Step("ADD", ReplayFeeders.ADD, Group.BEHIND_DEAD, 3));

    private static final Map<Statistics, TestOutbox> outboxes = new EnumMap<>(Statistics.class);
    private static final Map<Statistics, Connection> sessions = new EnumMap<>(Statistics.class);

    @AfterAll
    static void close() throws SQLException {
        for (Connection session : sessions.values()) {
            session.close();
        }
        outboxes.values().forEach(TestOutbox::close);
    }

    static Stream<Arguments> statements() {
        return Stream.of(Statistics.values())
                .flatMap((statistics) -> STEPS.stream().map((step) -> Arguments.of(statistics, step)));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("statements")
    void statementVisitsItsBatchOnly(Statistics statistics, Step step) throws SQLException {
        JsonNode plan = explain(session(statistics), step);

        for (String table : List.of("outbox_lane", "outbox_delivery", "outbox_unpublished", "outbox_published")) {
            assertThat(Explained.rowsVisited(plan, table)).as(table).isLessThanOrEqualTo(ROWS_OF_A_TABLE);
        }
        assertThat(Explained.rowsHandled(plan)).as("rows handled").isLessThanOrEqualTo(ROWS);
    }

    /** A handler that backs off leaves its former due times in the index for as long as a snapshot is held. */
    @Test
    void nextDueTimeIsFoundAmongOldOnes() throws SQLException {
        try (TestOutbox outbox = TestOutbox.create();
                OpenTransaction holder = OpenTransaction.of(outbox.owner())) {
            outbox.addStream("default");
            addFailed(outbox, 5_000, 1);
            holder.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                    .run("SELECT count(*) FROM events.outbox_lane");
            for (int attempt = 1; attempt <= 20; attempt++) {
                outbox.sql()
                        .sql("UPDATE events.outbox_lane SET due_at = due_at + interval '100 s'")
                        .update();
            }
            outbox.sql()
                    .sql("UPDATE events.outbox_lane SET due_at = now() + interval '1 h'")
                    .update();
            String mark = markAfterALook(outbox);
            outbox.sql()
                    .sql("UPDATE events.outbox_lane SET due_at = now() - interval '1 ms' WHERE aggregate_id = '7'")
                    .update();

            assertThat(pagesOfLook(outbox, "-infinity")).isGreaterThan(400);
            assertThat(pagesOfLook(outbox, mark)).isLessThan(60);
        }
    }

    private static String markAfterALook(TestOutbox outbox) throws SQLException {
        return new ClaimSteps(outbox)
                .claim(1, ActiveHandlers.ofAllTypes("mail-0"))
                .dueFrom()
                .toString();
    }

    /** Of the look at the next due time, and of a claim that finds one delivery. */
    private static long pagesOfLook(TestOutbox outbox, String dueFrom) throws SQLException {
        Explained explained = new Explained(outbox.dataSource());
        JsonNode look = explained.explainUntilNext(List.of("mail-0"), dueFrom);
        List<JsonNode> claim = explained.explainClaimOfLanes(List.of("mail-0"), 50, 200, true, dueFrom);
        assertThat(claim.get(1).get("Actual Rows").asLong()).isEqualTo(1);
        return Stream.of(look, claim.get(0), claim.get(1))
                .mapToLong(Explained::pages)
                .max()
                .orElseThrow();
    }

    @Test
    void claimLocksNoMoreThanItTakes() throws SQLException {
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.addStream("default");
            int handlers = 20;
            int batch = 50;
            addFailed(outbox, batch, handlers);
            List<String> ids = LongStream.range(0, handlers)
                    .mapToObj((handler) -> "mail-" + handler)
                    .toList();

            List<JsonNode> claim = new Explained(outbox.dataSource()).explainClaimOfLanes(ids, batch, 4 * batch, true);
            assertThat(claim.get(1).get("Actual Rows").asLong()).isEqualTo(batch);
            assertThat(claim.stream()
                            .flatMap((plan) -> Explained.nodes(plan).stream())
                            .filter((node) ->
                                    node.path("Node Type").asString("").equals("LockRows"))
                            .mapToLong((node) ->
                                    Math.round(node.path("Actual Loops").asDouble(0)
                                            * node.path("Actual Rows").asDouble(0)))
                            .sum())
                    .isBetween((long) batch, 2L * batch);
        }
    }

    /** Each handler takes five event types. A claim once looked for those of a handler among those of all, for every lane that is due. */
    @Test
    void claimOfManyHandlersLooksAtEachOnce() throws SQLException {
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.addStream("default");
            int handlers = 100;
            int batch = 50;
            addFailed(outbox, batch, handlers);
            SortedMap<String, Set<Subscription>> byId = new TreeMap<>();
            for (int handler = 0; handler < handlers; handler++) {
                byId.put(
                        "mail-" + handler,
                        Stream.of("OrderPaid", "OrderShipped", "OrderReturned", "OrderCancelled", "OrderPlaced")
                                .map(Subscription::ofType)
                                .collect(Collectors.toSet()));
            }
            ActiveHandlers active = new ActiveHandlers(byId);
            Explained explained = new Explained(outbox.dataSource());
            JsonNode look = explained.explainUntilNext(active, "-infinity");
            List<JsonNode> claim = explained.explainClaimOfLanes(active, batch, 4 * batch, true, "-infinity");

            assertThat(claim.get(1).get("Actual Rows").asLong()).isEqualTo(batch);
            assertThat(Stream.of(look, claim.get(0), claim.get(1)))
                    .extracting(Explained::rowsHandled)
                    .allMatch((rows) -> rows < 100L * handlers);
        }
    }

    /** Due deliveries that have failed, each in a lane of its own: as many for each of the handlers. */
    private static void addFailed(TestOutbox outbox, int deliveries, int handlers) {
        outbox.sql().sql("""
                        INSERT INTO events.outbox_unpublished
                               (id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
                        SELECT n, 'order', n::text, 1, 'OrderPlaced', '{"number": 1}'
                          FROM generate_series(1, ?) n
                        """).param(deliveries).update();
        outbox.sql()
                .sql("UPDATE events.outbox_unpublished SET status = 'RETRYING', dispatched_at = now()")
                .update();
        outbox.sql().sql("""
                        INSERT INTO events.outbox_delivery
                               (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status,
                                retry_count, next_retry_at)
                        SELECT o.id, 'mail-' || handler, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type,
                               'OPEN', 1, now() - interval '1 h' + o.id * interval '1 ms'
                          FROM events.outbox_unpublished o
                         CROSS JOIN generate_series(0, ? - 1) handler
                        """).param(handlers).update();
        LaneRows.addMissing(outbox.sql());
    }

    private static JsonNode explain(Connection session, Step step) throws SQLException {
        session.setAutoCommit(false);
        try (Statement statement = session.createStatement()) {
            statement.execute(
                    "SELECT set_config('outbox.lanes', array_agg(l.ctid)::text, true) FROM events.outbox_lane l"
                            + " WHERE l.aggregate_id::int < " + BATCH);
            statement.execute("SELECT set_config('outbox.expired_claims', '{1}', true),"
                    + " set_config('outbox.expired_lanes', array_agg(l.ctid)::text, true) FROM events.outbox_lane l"
                    + " WHERE l.claim_id = 1");
            return explained(statement, session, step);
        } finally {
            session.rollback();
            session.setAutoCommit(true);
        }
    }

    private static JsonNode explained(Statement statement, Connection session, Step step) throws SQLException {
        try (ResultSet row =
                statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + execute(session, step))) {
            return Explained.plan(row);
        }
    }

    private static Connection session(Statistics statistics) throws SQLException {
        if (!sessions.containsKey(statistics)) {
            TestOutbox outbox = TestOutbox.create();
            outboxes.put(statistics, outbox);
            sessions.put(statistics, prepare(outbox, statistics));
        }
        return sessions.get(statistics);
    }

    private static Connection prepare(TestOutbox outbox, Statistics statistics) throws SQLException {
        outbox.addStream("default");
        outbox.sql()
                .sql("ALTER TABLE events.outbox_delivery SET (autovacuum_enabled = false)")
                .update();
        outbox.sql()
                .sql("ALTER TABLE events.outbox_lane SET (autovacuum_enabled = false)")
                .update();
        outbox.sql()
                .sql("ALTER TABLE events.outbox_unpublished SET (autovacuum_enabled = false)")
                .update();
        if (statistics == Statistics.OF_DEAD_LETTERS) {
            addDeadLetters(outbox);
        }
        outbox.sql()
                .sql("VACUUM ANALYZE events.outbox_unpublished, events.outbox_delivery, events.outbox_lane")
                .update();
        Connection session = outbox.dataSource().getConnection();
        try (Statement statement = session.createStatement()) {
            statement.execute("SET plan_cache_mode = force_generic_plan");
            statement.execute("SET enable_seqscan = off");
            statement.execute("SET jit = off");
            for (Step step : STEPS) {
                String sql = OutboxSchema.DEFAULT.render(step.sql());
                String types = Explained.names(sql).stream()
                        .map(LaneStatementsTest::typeOf)
                        .collect(joining(", "));
                String parameters = types.isEmpty() ? "" : "(" + types + ")";
                statement.execute("PREPARE \"" + step + "\" " + parameters + " AS " + Explained.numbered(sql));
            }
        }
        addLanes(outbox);
        return session;
    }

    private static String execute(Connection session, Step step) throws SQLException {
        List<String> names = Explained.names(OutboxSchema.DEFAULT.render(step.sql()));
        return "EXECUTE \"" + step + "\""
                + (names.isEmpty()
                        ? ""
                        : names.stream()
                                .map((name) -> "'" + value(name, step) + "'")
                                .collect(joining(", ", " (", ")")));
    }

    private static String typeOf(String name) {
        return switch (name) {
            case "token" -> "uuid";
            case "id", "claim", "lease", "replay_id", "after_id", "read_id", "affected", "busy", "expiry_millis" ->
                "bigint";
            case "command" -> "bigint";
            case "events", "outbox_ids", "queued_events", "delays", "own_claims" -> "bigint[]";
            case "batch_size", "followers" -> "int";
            case "with_suspects", "open", "dead", "alone" -> "boolean";
            case "due_from", "started_at" -> "timestamptz";
            case "event_ids" -> "uuid[]";
            case "stream", "worker", "action", "actor", "reason" -> "text";
            default -> "text[]";
        };
    }

    private static String value(String name, Step step) {
        boolean claims = Set.of("LOCK_DUE", "TAKE", "UNTIL_NEXT").contains(step.name());
        return switch (name) {
            case "token" -> TOKEN;
            case "id", "claim", "replay_id", "command" -> "1";
            case "after_id", "affected", "busy" -> "0";
            case "read_id" -> "30000";
            case "lease", "expiry_millis" -> "60000";
            case "batch_size" -> "" + BATCH;
            case "followers" -> "" + 4 * BATCH;
            case "with_suspects", "open", "dead" -> "true";
            case "alone" -> "false";
            case "stream" -> "default";
            case "due_from" -> "-infinity";
            case "started_at" -> "infinity";
            case "worker", "actor" -> "ann";
            case "action" -> step.name();
            case "reason" -> "repaired";
            case "names" -> "{mail}";
            case "own_claims" -> "{}";
            case "events", "outbox_ids", "queued_events" -> array(step.group().events(step.seq()), Long::toString);
            case "event_ids" -> array(step.group().events(step.seq()), (id) -> TOKEN);
            case "lane_ids" -> array(step.group().lanes(), Long::toString);
            case "lane_kept", "kept" -> array(step.group().lanes(), (lane) -> "false");
            case "lane_types" -> array(step.group().lanes(), (lane) -> "order");
            case "kinds" -> array(step.group().lanes(), (lane) -> step.kind());
            case "details" -> array(step.group().lanes(), (lane) -> "NULL");
            case "delays" -> array(step.group().lanes(), (lane) -> "1000");
            case "takers" -> "{mail}";
            case "event_types", "aggregate_types", "taken_streams", "sources" -> "{*}";
            case "handler_ids" -> claims ? "{mail}" : array(step.group().lanes(), (lane) -> "mail");
            default -> array(step.group().lanes(), (lane) -> "mail");
        };
    }

    private static String array(LongStream numbers, LongFunction<String> element) {
        return numbers.mapToObj(element).collect(joining(",", "{", "}"));
    }

    private static void addDeadLetters(TestOutbox outbox) {
        outbox.sql().sql("""
                        INSERT INTO events.outbox_unpublished
                               (id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
                        SELECT 1000000 + n, 'order', 'dead ' || n, 1, 'OrderPlaced', '{"number": 1}'
                          FROM generate_series(1, ?) n
                        """).param(LANES).update();
        outbox.sql()
                .sql("UPDATE events.outbox_unpublished SET status = 'DEAD', dispatched_at = now()")
                .update();
        outbox.sql().sql("""
                        INSERT INTO events.outbox_delivery
                               (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status)
                        SELECT id, 'mail', stream, aggregate_type, aggregate_id, aggregate_seq, event_type, 'DEAD'
                          FROM events.outbox_unpublished
                        """).update();
    }

    private static void addLanes(TestOutbox outbox) {
        outbox.sql().sql("""
                        INSERT INTO events.outbox_unpublished
                               (id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
                        SELECT 3 * lane + seq, 'order', lane::text, seq, 'OrderPlaced', '{"number": 1}'
                          FROM generate_series(0, ? - 1) lane
                         CROSS JOIN generate_series(1, 3) seq
                        """).param(LANES).update();
        outbox.sql().sql("""
                        UPDATE events.outbox_unpublished
                           SET status = CASE WHEN aggregate_seq = 1 AND id BETWEEN 1501 AND 3000 THEN 'DEAD' ELSE 'RETRYING' END,
                               dispatched_at = now()
                         WHERE (aggregate_seq < 3 OR id <= 3000)
                           AND id <= 30000
                        """).update();
        outbox.sql().sql("""
                        INSERT INTO events.outbox_claim (id, incarnation, stream, worker, locked_until, token, event_ids, aggregates)
                        SELECT 1, (SELECT i.token FROM events.outbox_incarnation i), 'default', 'w', now() + interval '1 h', ?::uuid,
                               array_agg(o.id), '{}'
                          FROM events.outbox_unpublished o
                         WHERE o.status = 'PENDING'
                           AND o.id <= 4500
                        """).param(TOKEN).update();
        outbox.sql().sql("""
                        INSERT INTO events.outbox_claim (id, incarnation, stream, worker, locked_until, event_ids, aggregates)
                        SELECT n, i.token, 'default', 'w', now() + CASE n WHEN 18 THEN interval '-1 h' ELSE '1 h' END, '{}', '{}'
                          FROM events.outbox_incarnation i
                         CROSS JOIN generate_series(2, 20) n
                        """).update();
        outbox.sql()
                .sql("SELECT setval('events.outbox_claim_id_seq', 20)")
                .query(Long.class)
                .single();
        outbox.sql().sql("""
                        INSERT INTO events.outbox_replay (id, handler_id, rate, up_to_id, requested_by, reason)
                        VALUES (1, 'mail', 100, 30000, 'ann', 'repaired')
                        """).update();
        outbox.sql().sql("""
                        INSERT INTO events.outbox_delivery
                               (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status,
                                next_retry_at, replay_id)
                        SELECT o.id, 'mail', o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type,
                               CASE WHEN o.status = 'DEAD' THEN 'DEAD' ELSE 'OPEN' END,
                               CASE WHEN o.status = 'DEAD' THEN NULL ELSE now() - interval '1 s' END,
                               CASE WHEN o.id <= 1500 AND o.aggregate_seq = 3 THEN 1 END
                          FROM events.outbox_unpublished o
                         WHERE o.id <= 30000
                           AND NOT (o.id > 1500 AND o.aggregate_seq = 3)
                        """).update();
        LaneRows.addMissing(outbox.sql());
        outbox.sql().sql("""
                        UPDATE events.outbox_lane
                           SET claim_id = aggregate_id::int / 500 - 1
                         WHERE first_seq = 1
                           AND aggregate_id::int >= 1000
                        """).update();
    }
}
