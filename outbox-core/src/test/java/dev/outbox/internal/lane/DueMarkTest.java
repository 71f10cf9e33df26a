package dev.outbox.internal.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which lanes the poller's looks find: the mark of a look is where the next one starts. */
class DueMarkTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final ActiveHandlers MAIL = ActiveHandlers.ofAllTypes("mail");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Lanes lanes = new Lanes(outbox);
    private final ClaimSteps claims = new ClaimSteps(outbox);
    private final DeliveryClaimStore deliveries = new DeliveryClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final DueMark mark = new DueMark();

    @BeforeEach
    void prepare() throws SQLException {
        outbox.addStream("default");
        look();
    }

    @Test
    void laneThatWaitsKeepsTheMark() throws SQLException {
        due("a", "1 hour");
        due("b", "2 hours");

        look();
        look();
        assertThat(aggregates(claim(1))).containsExactly("b");
        look();
        assertThat(aggregates(claim(10))).containsExactly("a");
    }

    @Test
    void laneBehindTheMarkIsFoundByALookAtTheWholeQueue() throws SQLException {
        look();
        due("late", "1 hour");
        assertThat(look().untilNextDelivery()).isEmpty();
        assertThat(claim(10)).isEmpty();

        assertThat(look(MAIL, true).untilNextDelivery()).isPresent();
        assertThat(aggregates(claim(10))).containsExactly("late");
    }

    /** As after a failover, or a restore. */
    @Test
    void laneOfAServerThatMovedBackIsFoundByTheSecondLook() throws SQLException {
        look();
        due("before", "1 hour");
        outbox.update("DELETE FROM events.outbox_incarnation");

        look();
        assertThat(look().untilNextDelivery()).isPresent();
        assertThat(aggregates(claim(10))).containsExactly("before");
    }

    /** As after the end of a pause, or of an open circuit. */
    @Test
    void laneOfAnotherHandlerIsFoundAtOnce() throws SQLException {
        look(ActiveHandlers.ofAllTypes("other"), false);
        due("waiting", "1 hour");

        assertThat(look().untilNextDelivery()).isPresent();
        assertThat(aggregates(claim(10))).containsExactly("waiting");
    }

    @Test
    void laneOfAPausedStreamIsFoundAtItsEnd() throws SQLException {
        due("paused", "1 s");
        look();
        outbox.update("UPDATE events.outbox_stream SET paused_until = 'infinity'");
        outbox.update("UPDATE events.outbox_lane SET due_at = due_at - interval '1 hour'");
        look(MAIL, true);
        assertThat(claim(10)).isEmpty();
        look();
        outbox.update("UPDATE events.outbox_stream SET paused_until = '-infinity'");
        assertThat(aggregates(claim(10))).containsExactly("paused");
    }

    /** Crash suspects wait for each other, and must not keep the mark of all lanes. */
    @Test
    void crashSuspectIsFoundHoweverOldAndKeepsNoMark() throws SQLException {
        look();
        due("suspect", "1 hour");
        outbox.update("UPDATE events.outbox_lane SET crash_count = 2");

        ClaimSteps.Found round = look();
        assertThat(round.untilNextDelivery()).isPresent();
        assertThat(round.dueFrom()).isAfter(OffsetDateTime.now().minusMinutes(1));
        assertThat(aggregates(claim(10))).containsExactly("suspect");
    }

    /** A lane becomes due at the clock of its transaction, which may commit a little later. */
    @Test
    void markStaysTenSecondsBehindTheClock() throws SQLException {
        look();
        due("slow", "9 s");

        assertThat(look().untilNextDelivery()).isPresent();
        assertThat(aggregates(claim(10))).containsExactly("slow");
    }

    /** Its delivery was due long before the lane, which became due when an earlier delivery ended. */
    @Test
    void laneThatAFullClaimPutsBackStaysInFrontOfTheMark() throws SQLException {
        due("a", "1 hour");
        due("b", "1 hour");
        outbox.update("UPDATE events.outbox_lane SET due_at = now() - interval '1 s'");
        outbox.update(
                "CREATE OR REPLACE FUNCTION events.outbox_payload_size(payload jsonb) RETURNS integer LANGUAGE sql STABLE"
                        + " AS 'SELECT 8000000'");

        look();
        assertThat(aggregates(claim(10))).containsExactly("a");
        look();
        assertThat(aggregates(claim(10))).containsExactly("b");
    }

    private void due(String aggregateId, String ago) {
        EventEnvelope event = outbox.publishOrders(aggregateId, 1).get(0);
        lanes.waiting("mail", event);
        outbox.update(
                "UPDATE events.outbox_lane SET due_at = now() - ?::interval WHERE aggregate_id = ?", ago, aggregateId);
        outbox.update(
                "UPDATE events.outbox_delivery SET next_retry_at = now() - ?::interval WHERE aggregate_id = ?",
                ago,
                aggregateId);
    }

    private ClaimSteps.Found look() throws SQLException {
        return look(MAIL, false);
    }

    private ClaimSteps.Found look(ActiveHandlers handlers, boolean wholeQueue) throws SQLException {
        ClaimSteps.Found round = claims.claim(10, handlers, mark.of(handlers, wholeQueue));
        mark.found(handlers, round.registry().server(), round.dueFrom());
        return round;
    }

    private List<DueDelivery> claim(int batchSize) throws SQLException {
        return deliveries.claimDue(
                new DeliveryClaimStore.Request("default", "w", MAIL, batchSize, true, LEASE, mark.of(MAIL)));
    }

    private static List<String> aggregates(List<DueDelivery> due) {
        return due.stream().map((one) -> one.envelope().aggregateId()).toList();
    }
}
