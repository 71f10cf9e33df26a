package dev.outbox.operations.internal.operate;

import static dev.outbox.fixture.InBackground.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.lane.LaneSteps;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations.Changed;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Operations at the very moment in which a worker changes the lane. Each test holds one of the two in the middle. */
class OperationRacesTest {

    private static final ActiveHandlers MAIL = ActiveHandlers.ofAllTypes("mail");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Lanes lanes = new Lanes(outbox);
    private final ClaimSteps claims = new ClaimSteps(outbox);
    private final LaneSteps deliveries = new LaneSteps(outbox);

    @BeforeEach
    void addStream() throws SQLException {
        outbox.addStream("default");
    }

    /** A claim holds the lock of its stream; a retry needs nothing that a claim holds. */
    @Test
    void retryDoesNotWaitForClaimsOfItsStream() throws SQLException {
        List<EventEnvelope> events = outbox.publishOrders("1", 2);
        lanes.dead("mail", events.get(0));
        try (OpenTransaction claiming = OpenTransaction.of(outbox.dataSource())) {
            claiming.run("SELECT FROM events.outbox_stream WHERE stream = 'default' FOR UPDATE");
            assertThat(retry(events.get(0))).isEqualTo(new Changed(1, 0));
        }
    }

    @Test
    void retryWaitsForLaneThatIsBeingClaimed() throws SQLException {
        List<EventEnvelope> events = outbox.publishOrders("1", 2);
        lanes.dead("mail", events.get(0));
        lanes.failed("mail", events.get(1));
        try (OpenTransaction claiming = OpenTransaction.of(outbox.dataSource())) {
            claiming.run("UPDATE events.outbox_lane SET claim_id = 1");
            CompletableFuture<Changed> retried = InBackground.run(() -> retry(events.get(0)));
            outbox.awaitWaiting(1);
            claiming.commit();
            assertThat(result(retried)).isEqualTo(new Changed(1, 0));
        }
        assertThat(outbox.sql()
                        .sql("SELECT claim_id FROM events.outbox_lane")
                        .query(Long.class)
                        .single())
                .isEqualTo(1);
        assertThat(lanes.of("mail", "1")).containsExactly("1 OPEN 0", "2 OPEN 1");
    }

    @Test
    void keepsEventRetriedWhileItsLaneEmpties() throws SQLException {
        List<EventEnvelope> events = outbox.publishOrders("1", 2);
        lanes.dead("mail", events.get(1));
        lanes.failed("mail", events.get(0));
        DueDelivery head = claimDue();

        try (OpenTransaction holding = OpenTransaction.of(outbox.owner())) {
            holdPublishing(holding);
            CompletableFuture<Integer> emptying = InBackground.run(() -> succeed(head));
            outbox.awaitWaiting(1);
            CompletableFuture<Changed> retried = InBackground.run(() -> retry(events.get(1)));
            outbox.awaitWaiting(2);
            holding.rollback();
            assertThat(result(emptying)).isOne();
            assertThat(result(retried).affected()).isEqualTo(1);
        }
        assertThat(lanes.of("mail", "1")).containsExactly("2 OPEN 0");
    }

    /** The skip has locked the lane and is about to delete it, and does not see the new delivery. */
    @Test
    void keepsEventQueuedDuringSkipOfItsLane() throws SQLException {
        EventEnvelope first = outbox.publishOrders("1", 1).get(0);
        lanes.blocking("mail", first);
        EventEnvelope second = outbox.publishOrders("1", 1).get(0);
        ClaimSteps.Found round = claims.claim(10, MAIL);
        assertThat(round.events().get(0).blockedHandlers()).containsExactly("mail");

        try (OpenTransaction holding = OpenTransaction.of(outbox.owner())) {
            holdPublishing(holding);
            CompletableFuture<Changed> skipped = InBackground.run(() -> Operator.of(outbox)
                    .operations()
                    .skip(DeliverySelection.delivery(first.eventId(), "mail"), "ann", "sent by hand"));
            outbox.awaitWaiting(1);
            CompletableFuture<Boolean> queueing = InBackground.run(() -> queue(round, second));
            outbox.awaitWaiting(2);
            holding.rollback();
            assertThat(result(skipped).affected()).isEqualTo(1);
            assertThat(result(queueing)).isTrue();
        }
        assertThat(lanes.of("mail", "1")).containsExactly("2 OPEN 0");
    }

    @Test
    void skipOfDeadLettersKeepsOneThatIsBeingRetried() throws SQLException {
        EventEnvelope event = outbox.publishOrders("1", 1).get(0);
        lanes.dead("mail", event);

        try (OpenTransaction holding = OpenTransaction.of(outbox.owner())) {
            holdPublishing(holding);
            CompletableFuture<Changed> retried = InBackground.run(() -> retry(event));
            outbox.awaitWaiting(1);
            CompletableFuture<Changed> skipped = InBackground.run(() -> Operator.of(outbox)
                    .operations()
                    .skip(
                            DeliverySelection.delivery(event.eventId(), "mail").withStatus(DeliveryStatus.DEAD),
                            "ann",
                            "obsolete"));
            outbox.awaitWaiting(2);
            holding.rollback();
            assertThat(result(retried)).isEqualTo(new Changed(1, 0));
            assertThat(result(skipped)).isEqualTo(new Changed(0, 0));
        }
        assertThat(lanes.of("mail", "1")).containsExactly("1 OPEN 0");
    }

    @Test
    void retriedDeliveryFencesItsLateWorker() throws SQLException {
        EventEnvelope event = outbox.publishOrders("1", 1).get(0);
        lanes.failed("mail", event);
        DueDelivery late = claimDue();
        lanes.expired();
        assertThat(retry(event).affected()).isEqualTo(1);

        assertThat(succeed(late)).isZero();
        assertThat(lanes.of("mail", "1")).containsExactly("1 OPEN 0");
        assertThat(claimDue().attempt()).isEqualTo(late.attempt() + 1);
        assertThat(succeed(late)).isZero();
    }

    /** Every transaction that completes an event waits, and keeps its locks. */
    private static void holdPublishing(OpenTransaction holding) throws SQLException {
        holding.run("LOCK TABLE events.outbox_published IN SHARE ROW EXCLUSIVE MODE");
    }

    private DueDelivery claimDue() throws SQLException {
        lanes.due();
        return deliveries.claimDue(10, MAIL).get(0);
    }

    private int succeed(DueDelivery delivery) throws SQLException {
        return deliveries.settle(List.of(delivery), DeliveryOutcome.SUCCEEDED);
    }

    private boolean queue(ClaimSteps.Found round, EventEnvelope event) throws SQLException {
        return claims.queue(round, Map.of(event, "mail"), DeliveryOutcome.QUEUED);
    }

    private Changed retry(EventEnvelope event) {
        return Operator.of(outbox)
                .operations()
                .retry(DeliverySelection.delivery(event.eventId(), "mail"), "ann", "mail is back");
    }
}
