package dev.outbox.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.BulkRows;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.lane.Explained;
import dev.outbox.internal.lane.LaneSql;
import dev.outbox.internal.lane.LaneSteps;
import dev.outbox.internal.lease.LeaseSteps;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * While a transaction holds a snapshot, the indexes keep what has left the queue, while the statistics say that the queue is small.
 * Counted in pages by the database: no statement that runs all the time may read all that.
 */
@Tag("full")
class HeldSnapshotTest {

    private static final int GONE = 30_000;
    private static final int WHAT_IS_GONE_HAS_MORE = 250;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private OpenTransaction holder;
    private long event;
    private long claim;

    @BeforeEach
    void hold() throws SQLException {
        outbox.addStream("default");
        holder = OpenTransaction.of(outbox.dataSource())
                .run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                .run("SELECT count(*) FROM events.outbox_unpublished");
    }

    @AfterEach
    void close() throws SQLException {
        holder.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ANALYZE", "VACUUM ANALYZE", "SELECT"})
    void nothingThatRunsAllTheTimeReadsWhatHasLeftTheQueue(String statistics) throws SQLException {
        leaveQueue();
        if (!statistics.equals("SELECT")) {
            outbox.update(statistics + " events.outbox_unpublished, events.outbox_claim");
        }
        work();

        assertFew("LOCK_STREAM", ClaimStore.LOCK_STREAM, "text, bigint, bigint, bigint[]", "'default', 0, 500, '{}'");
        assertFew("FIND_LAGGING", ClaimStore.FIND_LAGGING, "text", "'default'");
        assertFew("ADVANCE_WINDOW", ClaimStore.ADVANCE_WINDOW, "text, boolean", "'default', false");
        assertFew("LOCK_EXPIRED", LeaseSteps.LOCK_EXPIRED, "text, bigint[]", "'default', '{}'");
        assertFew(
                "CLAIM",
                ClaimStore.CLAIM,
                "boolean, text, boolean, bigint, bigint[], int, bigint, uuid, text, bigint",
                "false, 'default', false, 500, '{}', 50, 1000000, gen_random_uuid(), 'w', 60000");
        assertFew("MOVE", move(), "bigint, bigint[]", claim + ", ARRAY[" + event + "]");
        assertFew("SHRINK_CLAIM", SettlementStore.SHRINK_CLAIM, "bigint, uuid", claim + fence());
        assertFew("END_CLAIM", SettlementStore.END_CLAIM, "bigint, uuid", claim + fence());
        assertFew("LOCK_EVENTS", LaneSteps.LOCK_EVENTS, "bigint[]", "ARRAY[" + event + "]");
        assertFew(
                "LOCK_CLAIMED_EVENTS",
                LaneSql.LOCK_CLAIMED_EVENTS,
                "bigint, uuid, bigint[]",
                claim + fence() + ", ARRAY[" + event + "]");
        assertFew(
                "QUEUE",
                SettlementStore.QUEUE,
                "bigint, uuid, bigint[], text[], text[], bigint[], text[], text[], text[], text[]",
                claim + fence() + ", ARRAY[" + event
                        + "], '{mail}', '{FAILED}', '{1000}', '{X}', '{x}', '{NULL}', '{true}'");
        assertFew("COMPLETE", LaneSteps.COMPLETE, "bigint[]", "ARRAY[" + event + "]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ANALYZE", "VACUUM ANALYZE"})
    void expiredClaimLeadsToItsEventsOnly(String statistics) throws SQLException {
        leaveQueue();
        outbox.update(statistics + " events.outbox_unpublished, events.outbox_claim");
        work();
        outbox.update("UPDATE events.outbox_claim SET locked_until = now() - interval '1 s'");

        assertFew("LOCK_EXPIRED", LeaseSteps.LOCK_EXPIRED, "text, bigint[]", "'default', '{}'");
        assertFew(
                "END_EXPIRED",
                LeaseSteps.END_EXPIRED
                        .replace("current_setting('outbox.expired_claims')", "'{" + claim + "}'")
                        .replace("current_setting('outbox.expired_lanes')", "'{}'"),
                "",
                "");
    }

    private void assertFew(String name, String sql, String types, String values) throws SQLException {
        assertThat(Explained.pages(new Explained(outbox.dataSource()).explain(sql, types, values)))
                .as(name)
                .isLessThan(WHAT_IS_GONE_HAS_MORE);
    }

    private static String move() {
        return SettlementStore.MOVE
                .replace("{writable rows}", "")
                .replace("{and writable}", "")
                .replace(
                        "{fence}",
                        "DELETE FROM {schema}.outbox_claim c WHERE c.id = :claim RETURNING c.id AS claim_id");
    }

    private void leaveQueue() {
        new BulkRows(outbox).events(GONE, "n::text", "1");
        outbox.update("""
                        WITH moved AS (DELETE FROM events.outbox_unpublished RETURNING *)
                        INSERT INTO events.outbox_published
                               (id, event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status,
                                dispatched_at, published_at)
                        SELECT id, event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, 'PUBLISHED',
                               now(), now()
                          FROM moved
                        """);
        outbox.update("""
                        INSERT INTO events.outbox_claim (incarnation, stream, worker, locked_until, event_ids, aggregates)
                        SELECT gen_random_uuid(), 'default', 'w', now(), ARRAY[n], ARRAY[n] FROM generate_series(1, ?) n
                        """, GONE);
        outbox.loseClaims();
    }

    /** Ten events, of which five are claimed. */
    private void work() {
        IntStream.rangeClosed(1, 10).forEach((number) -> outbox.publish("new-" + number, new OrderPlaced(number)));
        event = outbox.value(Long.class, "SELECT min(id) FROM events.outbox_unpublished");
        outbox.update("""
                        INSERT INTO events.outbox_claim (incarnation, stream, worker, locked_until, event_ids, aggregates)
                        SELECT (SELECT token FROM events.outbox_incarnation), 'default', 'w', now() + interval '1 h', array_agg(o.id),
                               ARRAY[1, 2, 3, 4, 5]
                          FROM (SELECT id FROM events.outbox_unpublished ORDER BY id LIMIT 5) o
                        """);
        claim = outbox.value(Long.class, "SELECT min(id) FROM events.outbox_claim");
        outbox.update(
                "UPDATE events.outbox_stream SET low_water_mark = ?, safe_mark = ?, first_claim = ?",
                event,
                event,
                claim);
    }

    private String fence() {
        return outbox.value(String.class, "SELECT format(', %L', c.token) FROM events.outbox_claim c");
    }
}
