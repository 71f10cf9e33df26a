package dev.outbox.internal.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.BulkRows;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.Guarantee;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** What 100,000 events that wait behind a failing one cost the others, counted in rows and pages by the database. */
@Tag("full")
class PoisonedAggregateTest {

    private static final int WAITING = 100_000;
    private static final long DEPTH = 500;
    private static final String TYPES = "boolean, text, boolean, bigint, bigint[], int, bigint, uuid, text, bigint";
    private static final String VALUES =
            "false, 'default', false, " + DEPTH + ", '{}', 50, 1000000, gen_random_uuid(), 'w', 60000";
    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final BulkRows rows = new BulkRows(outbox);

    @Test
    @Guarantee(value = "G4", sentence = "Claims do not visit 100,000 events that wait behind a failed one.")
    void claimDoesNotVisitTheEventsThatWait() throws SQLException {
        outbox.addStream("default");
        poison();
        IntStream.rangeClosed(1, 200).forEach((number) -> outbox.publish("" + number, new OrderPlaced(number)));
        assertThatClaimVisitsLittle();
    }

    /** The planner knows then that half of the rows wait, and may think that the other half comes cheaper without the index. */
    @Test
    void claimDoesNotVisitTheEventsThatWaitIfStatisticsKnowTheQueue() throws SQLException {
        outbox.addStream("default");
        poison();
        rows.events(60_000, "(n % 1000)::text", "n / 1000 + 1");
        outbox.update("VACUUM ANALYZE events.outbox_unpublished");
        assertThatClaimVisitsLittle();
    }

    @Test
    void claimOfABatchIsNotComparedWithItselfIfStatisticsKnowNoQueue() throws SQLException {
        outbox.addStream("default");
        outbox.update("VACUUM ANALYZE events.outbox_unpublished");
        IntStream.rangeClosed(1, 200).forEach((number) -> outbox.publish("" + number, new OrderPlaced(number)));

        assertThat(Explained.nodes(explainClaim()))
                .noneMatch((node) -> node.path("Node Type").asString("").contains("Join")
                        || node.path("Node Type").asString("").contains("Nested Loop"));
    }

    /** What has left the queue stays in its index while an older snapshot is held. */
    @Test
    void claimDoesNotVisitWhatHasLeftTheQueueWhileASnapshotIsHeld() throws SQLException {
        outbox.addStream("default");
        try (OpenTransaction holder = OpenTransaction.of(outbox.owner())) {
            holder.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            holder.run("SELECT count(*) FROM events.outbox_unpublished");
            rows.events(50_000, "n::text", "1");
            outbox.update("UPDATE events.outbox_unpublished SET status = 'RETRYING', dispatched_at = now()");
            outbox.publish("next", new OrderPlaced(1));

            assertThat(Explained.pages(explainClaim(0))).isGreaterThan(500);
            assertThat(Explained.pages(explainClaim(50_001))).isLessThan(100);
        }
    }

    @Test
    void aggregateHashIsInlined() throws SQLException {
        outbox.addStream("default");

        assertThat(explainClaim().toString()).contains("hashtextextended(").doesNotContain("outbox_aggregate_hash");
    }

    @Test
    void failureDoesNotVisitTheOnesThatWait() throws SQLException {
        poison();
        String fence = lease();
        long first = outbox.value(Long.class, "SELECT min(outbox_id) FROM events.outbox_delivery");
        JsonNode settle = new Explained(outbox.dataSource())
                .explain(
                        DeliverySettlementStore.SETTLE,
                        "bigint, uuid, bigint[], text[], text[], bigint[], text[], text[], text[]",
                        fence + ", '{" + first + "}', '{mail}', '{FAILED}', '{1000}', '{X}', '{x}', '{NULL}'");
        for (JsonNode plan : List.of(settle, explainRelease(fence))) {
            assertThat(Explained.rowsVisited(plan, "outbox_delivery")).isBetween(1L, 10L);
        }
    }

    /** Leases the lane, and returns the parameters of its fence. */
    private String lease() {
        outbox.update(
                "WITH claim AS (INSERT INTO events.outbox_claim (incarnation, stream, worker, locked_until, event_ids,"
                        + " aggregates) SELECT token, 'default', 'w', now() + interval '1 h', '{}', '{}'"
                        + " FROM events.outbox_incarnation RETURNING id)"
                        + " UPDATE events.outbox_lane SET claim_id = claim.id FROM claim");
        return outbox.value(String.class, "SELECT format('%s, %L', c.id, c.token) FROM events.outbox_claim c");
    }

    private JsonNode explainRelease(String fence) throws SQLException {
        return new Explained(outbox.dataSource())
                .explain(
                        LaneSql.RELEASE,
                        "text[], text[], text[], text[], bigint, uuid",
                        "'{order}', '{poisoned}', '{mail}', '{false}', " + fence);
    }

    /** What has left a lane stays in its index while an older snapshot is held. */
    @Test
    void laneIsNotReadFromItsStartWhileASnapshotIsHeld() throws SQLException {
        outbox.addStream("default");
        poison();
        try (OpenTransaction holder = OpenTransaction.of(outbox.owner())) {
            holder.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            holder.run("SELECT count(*) FROM events.outbox_delivery");
            outbox.update("DELETE FROM events.outbox_delivery WHERE aggregate_seq < ?", WAITING);
            outbox.update("UPDATE events.outbox_lane SET first_seq = ?, due_at = now() - interval '1 s'", WAITING);
            Explained explained = new Explained(outbox.dataSource());
            JsonNode look = explained.explainUntilNext(List.of("mail"), "-infinity");
            List<JsonNode> claim = explained.explainClaimOfLanes(List.of("mail"), 50, 200, true);
            JsonNode release = explainRelease(lease());

            assertThat(claim.get(1).get("Actual Rows").asLong()).isEqualTo(1);
            assertThat(Stream.of(look, claim.get(0), claim.get(1), release))
                    .extracting(Explained::pages)
                    .allMatch((pages) -> pages < 60);
        }
    }

    private JsonNode explainClaim() throws SQLException {
        return explainClaim(0);
    }

    private JsonNode explainClaim(long start) throws SQLException {
        outbox.update("UPDATE events.outbox_stream SET low_water_mark = ?", start);
        return new Explained(outbox.dataSource()).explain(ClaimSteps.CLAIM, TYPES, VALUES);
    }

    private void assertThatClaimVisitsLittle() throws SQLException {
        JsonNode plan = explainClaim();
        assertThat(Explained.rowsVisited(plan, "outbox_unpublished")).isBetween(50L, 200L);
        assertThat(Explained.indexesOf(plan)).contains("outbox_unpublished_pending");
        assertThat(Explained.rowsVisited(plan, "outbox_delivery")).isZero();
        assertThat(Explained.pages(plan)).isLessThan(1_500);
    }

    @Test
    void lookForDueDeliveriesDoesNotVisitTheOnesThatWait() throws SQLException {
        poison();
        JsonNode plan = new Explained(outbox.dataSource()).explainUntilNext(List.of("mail"), "-infinity");
        assertThat(Explained.rowsVisited(plan, "outbox_delivery")).isEqualTo(1);
        assertThat(Explained.indexesOf(plan))
                .containsExactly(
                        "outbox_stream_pk",
                        "outbox_handler_pause_end",
                        "outbox_claim_pk",
                        "outbox_lane_due",
                        "outbox_delivery_lane");
    }

    @Test
    void claimDoesNotVisitDeliveriesOfForeignHandlers() throws SQLException {
        poison();
        outbox.update("UPDATE events.outbox_delivery SET next_retry_at = now(), aggregate_id = outbox_id::text");
        LaneRows.addMissing(outbox.sql());
        outbox.update("ANALYZE events.outbox_delivery, events.outbox_lane");
        JsonNode plan = new Explained(outbox.dataSource()).explainUntilNext(List.of("other"), "-infinity");
        assertThat(Explained.rowsVisited(plan, "outbox_delivery")).isZero();
        assertThat(new DeliveryClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT)
                        .claimDue(LaneSteps.request("w", ActiveHandlers.ofAllTypes("other"), 50, LEASE)))
                .isEmpty();
    }

    /** One failed delivery, and those of the events behind it. */
    private void poison() {
        rows.events(WAITING, "'poisoned'", "n + 1");
        rows.queue("CASE WHEN aggregate_seq = 1 THEN now() + interval '1 hour' ELSE now() END");
        outbox.update("VACUUM ANALYZE events.outbox_unpublished, events.outbox_delivery, events.outbox_lane");
    }
}
