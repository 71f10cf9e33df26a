package dev.outbox.operations.internal.replay;

import static dev.outbox.fixture.InBackground.result;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition.Source;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.retention.RetentionSteps;
import dev.outbox.operations.Count;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.Replay.Status;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.Guarantee;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Events that a replay feeds, and those that it leaves out. */
class ReplaySelectionTest extends ReplaySteps {

    @Test
    void onlyWhatIsSelectedIsFed() throws SQLException {
        register("letters", "OrderPlaced", "OrderPaid");
        Instant noon = Instant.parse("2026-01-01T12:00:00Z");
        OutboxEvent first = OutboxEvent.of("order", "1", new OrderPlaced(1)).occurredAt(noon);
        OutboxEvent second = OutboxEvent.of("order", "2", new OrderPaid(1)).occurredAt(noon.plusSeconds(60));
        OutboxEvent third = OutboxEvent.of("invoice", "1", new OrderPaid(1)).occurredAt(noon.plusSeconds(120));
        OutboxEvent unwanted = OutboxEvent.of("invoice", "1", new OrderPaid(2)).withEventType("OrderLost");
        OutboxEvent received = OutboxEvent.of("foreign", "1", new OrderPaid(3))
                .withEventType("OrderLost")
                .withOrigin("/shop")
                .withSequence(1);
        for (OutboxEvent event : List.of(first, second, third, unwanted, received)) {
            outbox.publish(event);
            settle(claim());
        }
        ReplayRequest letters = ReplayRequest.of("letters");

        assertThat(count(letters)).isEqualTo(new Count(3, true));
        assertThat(count(letters.eventTypes("OrderPaid"))).isEqualTo(new Count(2, true));
        assertThat(count(letters.aggregate("order", "2"))).isEqualTo(new Count(1, true));
        assertThat(count(letters.occurred(noon, noon.plusSeconds(120)))).isEqualTo(new Count(2, true));
        assertThat(selected(letters)).containsExactly(1L, 2L, 3L);
        assertThat(selected(letters.eventTypes("OrderPaid"))).containsExactly(2L, 3L);
        assertThat(selected(letters.aggregate("order", null))).containsExactly(1L, 2L);
        assertThat(selected(letters.aggregate("order", "2"))).containsExactly(2L);
        assertThat(selected(letters.occurred(noon, noon.plusSeconds(120)))).containsExactly(1L, 2L);
        assertThat(selected(letters.occurred(noon.plusSeconds(60), null))).containsExactly(2L, 3L);

        handlers.register(Map.of("route", Set.of(ownOf("order"), ownOf("foreign"))), Map.of(), Duration.ofDays(7));
        assertThat(selected(ReplayRequest.of("route"))).containsExactly(1L, 2L);
    }

    private static Subscription ownOf(String aggregateType) {
        return new Subscription(Subscription.ANY, aggregateType, Subscription.ANY, Source.OWN.name());
    }

    @Test
    void countsAnEventThatItWouldDeliver() throws SQLException {
        register("letters", "OrderPaid");
        EventEnvelope placed = outbox.publish("1", new OrderPlaced(1));
        EventEnvelope paid = outbox.publish("1", new OrderPaid(1));
        settle(claim());
        ReplayRequest letters = ReplayRequest.of("letters");

        assertThat(count(letters.event(paid.eventId()))).isEqualTo(new Count(1, true));
        assertThat(count(letters.event(placed.eventId()))).isEqualTo(new Count(0, true));
        assertThat(count(letters.event(UUID.randomUUID()))).isEqualTo(new Count(0, true));
    }

    private Count count(ReplayRequest request) {
        return Operator.of(outbox).replays().countEvents(request);
    }

    @Test
    void startsAndCancellationsAreRecorded() throws SQLException {
        publish("1", 1);
        long id = start(ReplayRequest.of("mail"));
        Operator.of(outbox).replays().cancel(id, "bob");
        Operator.of(outbox).replays().cancel(id, "bob");

        assertThat(Operator.of(outbox).operations().operations(OperationSelection.ofHandler("mail"), 10))
                .extracting(Operation::performedBy, Operation::action, Operation::reason)
                .containsExactly(
                        tuple("bob", "CANCEL_REPLAY", "#" + id + " why not"),
                        tuple("ann", "START_REPLAY", "#" + id + " why not"));
    }

    @Test
    void largeHistoryIsLookedAtInWindows() throws SQLException {
        outbox.sql().sql("""
                        INSERT INTO events.outbox (aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status,
                                                   dispatched_at, published_at)
                        SELECT 'order', '1', n, CASE WHEN n % 12000 = 0 THEN 'OrderPaid' ELSE 'OrderPlaced' END, '{}', 'PUBLISHED',
                               now(), now()
                          FROM generate_series(1, 25000) n
                        """).update();
        Count counted = count(ReplayRequest.of("mail").eventTypes("OrderPlaced"));
        assertThat(counted.exact()).isFalse();
        assertThat(counted.value()).isBetween(9_998L, 10_000L);
        long id = start(ReplayRequest.of("mail").eventTypes("OrderPaid").rate(100));
        ReplayFeeders.allow(outbox, SECOND);

        assertThat(feeder.runOnce()).isZero();
        assertThat(fed(id)).isZero();
        assertThat(feeder.runOnce()).isZero();
        assertThat(fed(id)).isEqualTo(1);
        feed(1);
        assertThat(fed(id)).isEqualTo(2);
        assertThat(replay(id).progress().allFed()).isTrue();
    }

    @Test
    void skipsOpenDeliveriesOfTheHandlerOnly() throws SQLException {
        EventEnvelope first = outbox.publish("1", new OrderPlaced(1));
        queue(claim(), Map.of(first, "mail"), FAILED);
        EventEnvelope second = outbox.publish("2", new OrderPlaced(1));
        queue(claim(), Map.of(second, "billing"), FAILED);
        EventEnvelope third = outbox.publish("3", new OrderPlaced(1));
        queue(claim(), Map.of(third, "billing"), DeliveryOutcome.dead(FAILURE, false));
        outbox.publish("4", new OrderPlaced(1));
        long id = start(ReplayRequest.of("mail"));

        feed(2);
        // The fourth waits for its first pass, and comes by itself.
        assertThat(fed(id)).isEqualTo(2);
        assertThat(lane("1")).containsExactly("1 OPEN");
        assertThat(lane("2")).containsExactly("1 OPEN", "1 OPEN");
        assertThat(lane("3")).containsExactly("1 DEAD", "1 OPEN");
        assertThat(outbox.event(third)).isRetrying();
        settle(DeliveryOutcome.SUCCEEDED, claimDue());
        assertThat(outbox.event(first)).isRetrying();
        assertThat(outbox.event(second)).isRetrying();
        assertThat(outbox.event(third)).isDead();
        feed(1);
        assertThat(replay(id).status()).isEqualTo(Status.DONE);
    }

    @Test
    @Guarantee(value = "G8", sentence = "Retention keeps events that a replay still has to deliver.")
    void archiveLeavesEventsOfAnUnfinishedReplay() throws SQLException {
        publish("1", 1);
        publish("2", 1);
        publish("3", 1);
        start(ReplayRequest.of("mail").aggregate("order", "2"));
        feed(1);

        assertThat(RetentionSteps.archive(outbox)).isEqualTo(2);
        List<DueDelivery> due = claimDue();
        assertThat(due).extracting((one) -> one.envelope().sequence()).containsExactly(1L);
        settle(DeliveryOutcome.SUCCEEDED, due);
        assertThat(RetentionSteps.archive(outbox)).isEqualTo(1);
    }

    @Test
    void archiveLeavesWhatARunningReplayHasYetToRead() throws SQLException {
        publish("1", 300);
        long id = start(ReplayRequest.of("mail").rate(29));
        feed(1);
        publish("2", 1);
        assertThat(fed(id)).isEqualTo(29);

        assertThat(RetentionSteps.archive(outbox)).isOne();
        feed(10);
        assertThat(fed(id)).isEqualTo(300);
    }

    @Test
    void archiveTakesWhatACancelledReplayHasNotRead() throws SQLException {
        publish("1", 30);
        long id = start(ReplayRequest.of("mail").rate(10));
        feed(1);
        Operator.of(outbox).replays().cancel(id, "ann");

        assertThat(RetentionSteps.archive(outbox)).isEqualTo(20);
    }

    @Test
    void archivedEventsAreNotFed() throws SQLException {
        publish("1", 2);
        RetentionSteps.archive(outbox);
        assertThat(outbox.count("audit.events")).isEqualTo(2);
        publish("1", 1);

        long id = start(ReplayRequest.of("mail"));
        feed(1);

        assertThat(fed(id)).isEqualTo(1);
        assertThat(lane("1")).containsExactly("3 OPEN");
    }

    @Test
    void doesNotFeedEventBeingArchived() throws SQLException {
        publish("1", 2);
        long id = start(ReplayRequest.of("mail"));
        ReplayFeeders.allow(outbox, SECOND);
        // The archive has looked at deliveries, and has not committed when the replay comes.
        try (OpenTransaction archive = OpenTransaction.of(outbox.dataSource())) {
            archive.run("SELECT pg_advisory_xact_lock_shared(hashtextextended('outbox history of \"events\"', 0))");
            archive.run("DELETE FROM events.outbox_published WHERE aggregate_seq = 1");
            CompletableFuture<Duration> feeding = InBackground.run(feeder::runOnce);
            outbox.awaitWaiting(1);
            archive.commit();
            result(feeding);
        }

        assertThat(fed(id)).isEqualTo(1);
        assertThat(lane("1")).containsExactly("2 OPEN");
    }

    /** The ids of the events that a replay takes, which are skipped then. */
    private List<Long> selected(ReplayRequest request) throws SQLException {
        long id = start(request);
        feed(1);
        List<Long> selected = outbox.sql()
                .sql("SELECT outbox_id FROM events.outbox_delivery ORDER BY outbox_id")
                .query(Long.class)
                .list();
        Operator.of(outbox).replays().cancel(id, "ann");
        Operator.of(outbox)
                .operations()
                .skip(DeliverySelection.all().ofHandler(request.handlerId()), "ann", "for the next one");
        assertThat(outbox.deliveries()).isZero();
        return selected;
    }
}
