package dev.outbox.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.BulkRows;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.lane.Explained;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What a claim of many lanes that flow visits, counted by the database: as much as it takes, not each lane for each follower. */
class FlowingLanesTest {

    private static final int LANES = 100;
    private static final int WAITING = 3;
    private static final int EVENTS = LANES * (1 + WAITING);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    /** With fewer followers than there are, each lane takes its share. */
    @ParameterizedTest
    @CsvSource({"400, 400", "150, 200", "0, 100"})
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
    void nothingFollowsBehindADeliveryThatIsNotDue() throws SQLException {
        addLanes();
        outbox.update(
                "UPDATE events.outbox_delivery SET next_retry_at = now() + interval '1 h' WHERE aggregate_seq = 3");
        assertThat(explainClaim(EVENTS).get("Actual Rows").asLong()).isEqualTo(2 * LANES);
    }

    private JsonNode explainClaim(int followers) throws SQLException {
        return new Explained(outbox.dataSource())
                .explainClaimOfLanes(List.of("mail"), LANES, followers, true)
                .get(1);
    }

    /** Heads that are due and have not failed yet, and what waits behind each. The planner thinks that there are none. */
    private void addLanes() throws SQLException {
        outbox.addStream("default");
        outbox.update("VACUUM ANALYZE events.outbox_unpublished, events.outbox_delivery, events.outbox_lane");
        new BulkRows(outbox).events(EVENTS, "(n % " + LANES + ")::text", "n / " + LANES + " + 1");
        new BulkRows(outbox).queue("now()");
    }
}
