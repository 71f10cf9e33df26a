package dev.outbox.operations.internal.replay;

import static dev.outbox.fixture.InBackground.result;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Replayed deliveries in lanes that have other work: one step after the other. */
class ReplayOfLanesTest extends ReplaySteps {

    @Test
    void waitsForEventsClaimedBeforeTheReplay() throws SQLException {
        publish("1", 1);
        EventEnvelope claimed = outbox.publish("2", new OrderPlaced(1));
        ClaimSteps.Found before = claim();
        publish("3", 1);
        // The claiming worker did not know the handler.
        register("search", "*");
        long id = start(ReplayRequest.of("search"));

        feed(3);
        assertThat(lane("1")).containsExactly("1 OPEN");
        assertThat(lane("2")).isEmpty();
        assertThat(lane("3")).isEmpty();
        assertThat(replay(id).progress().allFed()).isFalse();
        settle(before);
        assertThat(outbox.event(claimed)).isPublished();
        feed(3);
        assertThat(lane("2")).containsExactly("1 OPEN");
        assertThat(lane("3")).containsExactly("1 OPEN");
        assertThat(replay(id).progress().allFed()).isTrue();
    }

    @Test
    void replayPrecedesDeliveryThatBacksOff() throws SQLException {
        publish("1", 2);
        EventEnvelope live = outbox.publish("1", new OrderPlaced(3));
        queue(claim(), Map.of(live, "mail"), FAILED);
        String due = nextRetryOf(live);
        long id = start(ReplayRequest.of("mail"));
        feed(1);

        assertThat(lane("1")).containsExactly("1 OPEN", "2 OPEN", "3 OPEN");
        List<DueDelivery> replayed = claimDue();
        // The third has failed, and is not due before its time.
        assertThat(replayed).extracting((one) -> one.envelope().sequence()).containsExactly(1L, 2L);
        settle(DeliveryOutcome.SUCCEEDED, replayed);
        assertThat(lane("1")).containsExactly("3 OPEN");
        assertThat(nextRetryOf(live)).isEqualTo(due);
        assertThat(claimDue()).isEmpty();
    }

    @Test
    void replayWaitsUntilTheWorkerHasFinishedTheLane() throws SQLException {
        publish("1", 2);
        List<EventEnvelope> live =
                List.of(outbox.publish("1", new OrderPlaced(3)), outbox.publish("1", new OrderPlaced(4)));
        queue(claim(), Map.of(live.get(0), "mail", live.get(1), "mail"), DeliveryOutcome.QUEUED);
        List<DueDelivery> taken = claimDue();
        assertThat(taken).hasSize(2);
        long id = start(ReplayRequest.of("mail"));
        feed(1);

        assertThat(lane("1")).containsExactly("1 OPEN", "2 OPEN", "3 OPEN", "4 OPEN");
        assertThat(deliveries.settleKeepingLane(taken.get(0), DeliveryOutcome.SUCCEEDED))
                .isOne();
        assertThat(lane("1")).containsExactly("1 OPEN", "2 OPEN", "4 OPEN");
        assertThat(claimDue()).isEmpty();
        settle(DeliveryOutcome.SUCCEEDED, taken.subList(1, 2));
        assertThat(claimDue()).extracting((one) -> one.envelope().sequence()).containsExactly(1L, 2L);
    }

    @Test
    void replayWaitsForEventOfItsAggregateInProgress() throws SQLException {
        publish("1", 2);
        outbox.publish("1", new OrderPlaced(3));
        ClaimSteps.Found handling = claim();
        long id = start(ReplayRequest.of("mail"));
        feed(1);

        assertThat(lane("1")).containsExactly("1 OPEN", "2 OPEN");
        assertThat(claimDue()).isEmpty();
        settle(handling);
        outbox.publish("1", new OrderPlaced(4));
        // Who claims now knows of the lane, and leaves the handler to it: a busy aggregate does not hold its replay up.
        assertThat(claim().events().get(0).blockedHandlers()).containsExactly("mail");
        assertThat(claimDue()).hasSize(2);
    }

    @Test
    void replayWaitsForClaimInProgress() throws SQLException {
        publish("1", 1);
        start(ReplayRequest.of("mail"));
        ReplayFeeders.allow(outbox, SECOND);
        // A worker has looked for heads of lanes, and commits its claim after the replay arrives.
        try (OpenTransaction claimer = OpenTransaction.of(outbox.dataSource())) {
            claimer.run("SELECT FROM events.outbox_stream FOR UPDATE");
            CompletableFuture<Duration> feeding = InBackground.run(feeder::runOnce);
            outbox.awaitWaiting(1);
            claimer.run("""
                            INSERT INTO events.outbox_claim (incarnation, stream, worker, locked_until, event_ids, aggregates)
                            SELECT token, 'default', 'other', now() + interval '1 minute', '{}',
                                   ARRAY[hashtextextended('order' || chr(31) || '1', 0)]
                              FROM events.outbox_incarnation
                            """);
            claimer.commit();
            result(feeding);
        }

        assertThat(lane("1")).containsExactly("1 OPEN");
        assertThat(claimDue()).isEmpty();
        outbox.loseClaims();
        assertThat(claimDue()).hasSize(1);
    }

    @Test
    void replayPrecedesDeadLetterThatBlocks() throws SQLException {
        publish("1", 1);
        EventEnvelope live = outbox.publish("1", new OrderPlaced(2));
        queue(claim(), Map.of(live, "mail"), DeliveryOutcome.dead(FAILURE, true));
        long id = start(ReplayRequest.of("mail"));
        feed(1);

        assertThat(lane("1")).containsExactly("1 OPEN", "2 BLOCKING");
        settle(DeliveryOutcome.SUCCEEDED, claimDue());
        assertThat(lane("1")).containsExactly("2 BLOCKING");
        assertThat(claimDue()).isEmpty();
    }

    @Test
    void replayJoinsTheLaneOfARenamedHandler() throws SQLException {
        publish("1", 1);
        EventEnvelope live = outbox.publish("1", new OrderPlaced(2));
        queue(claim(), Map.of(live, "mail"), FAILED);
        handlers.register(
                Map.of("letters", Set.of(Subscription.ofType("*"))),
                Map.of("letters", List.of("mail")),
                Duration.ofDays(7));
        long id = start(ReplayRequest.of("letters"));
        feed(1);

        assertThat(lane("1")).containsExactly("1 OPEN", "2 OPEN");
        assertThat(outbox.sql()
                        .sql("SELECT DISTINCT handler_id FROM events.outbox_delivery")
                        .query(String.class)
                        .list())
                .containsExactly("mail");
    }

    private String nextRetryOf(EventEnvelope event) {
        return outbox.sql()
                .sql("SELECT next_retry_at::text FROM events.outbox_delivery WHERE outbox_id = ?")
                .param(event.id())
                .query(String.class)
                .single();
    }
}
