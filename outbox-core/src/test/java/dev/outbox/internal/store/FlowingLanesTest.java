package dev.outbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.TestOutbox;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What a claim of many lanes that flow visits, counted by the database: as much as it takes, not each lane for each follower. */
class FlowingLanesTest {

    private static final int LANES = 100;
    private static final int WAITING = 3;
    private static final int EVENTS = LANES * (1 + WAITING);

    private final TestOutbox outbox = TestOutbox.create();

    @AfterEach
    void close() {
        outbox.close();
    }

    /** With fewer followers than there are, lanes have gaps: the first that was not taken. */
    @ParameterizedTest
    @CsvSource({"400, 400", "150, 250", "0, 100"})
    void eachLaneIsVisitedOnce(int followers, int claimed) throws SQLException {
        addLanes();
        JsonNode plan = explainClaim(followers);

        assertThat(plan.get("Actual Rows").asLong()).isEqualTo(claimed);
        assertThat(Explained.rowsVisited(plan, "outbox_delivery")).isBetween((long) claimed, 4L * EVENTS);
        assertThat(Explained.rowsVisited(plan, "outbox_unpublished"))
                .as("for its size, and to return it")
                .isEqualTo(2L * claimed);
        assertThat(Explained.nodes(plan))
                .allSatisfy((node) ->
                        assertThat(node.path("Actual Loops").asLong(0)).isLessThanOrEqualTo(EVENTS));
    }

    @Test
    void nothingFollowsFromBehindAGap() throws SQLException {
        addLanes();
        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET crash_count = 2 WHERE aggregate_seq = 3")
                .update();
        assertThat(explainClaim(EVENTS).get("Actual Rows").asLong()).isEqualTo(2 * LANES);
    }

    private JsonNode explainClaim(int followers) throws SQLException {
        return new Explained(outbox.dataSource())
                .explain(
                        DeliverySql.CLAIM_DUE,
                        "text[], text, text[], text[], text[], text[], text[], bigint[], boolean, int, int, text, uuid, bigint",
                        "'{mail}', 'default', '{mail}', '{*}', '{*}', '{*}', '{*}', '{}', true, " + LANES + ", "
                                + followers + ", 'w', gen_random_uuid(), 60000");
    }

    /** Heads that are due and have not failed yet, and what waits behind each. The planner thinks that there are none. */
    private void addLanes() throws SQLException {
        new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT).addStream("default");
        outbox.sql()
                .sql("VACUUM ANALYZE events.outbox_unpublished, events.outbox_delivery")
                .update();
        outbox.sql().sql("""
                        INSERT INTO events.outbox_unpublished
                               (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
                        SELECT 'default', 'order', (n % ?)::text, n / ? + 1, 'OrderPlaced', '{"number": 1}'
                          FROM generate_series(0, ? - 1) n
                        """).params(LANES, LANES, EVENTS).update();
        outbox.sql()
                .sql("UPDATE events.outbox_unpublished SET status = 'RETRYING', dispatched_at = now()")
                .update();
        outbox.sql().sql("""
                        INSERT INTO events.outbox_delivery
                               (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status, head,
                                next_retry_at)
                        SELECT id, 'mail', stream, aggregate_type, aggregate_id, aggregate_seq, event_type,
                               CASE WHEN aggregate_seq = 1 THEN 'DUE' ELSE 'WAITING' END, aggregate_seq = 1,
                               CASE WHEN aggregate_seq = 1 THEN now() END
                          FROM events.outbox_unpublished
                        """).update();
    }
}
