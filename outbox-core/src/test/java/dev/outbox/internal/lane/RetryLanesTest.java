package dev.outbox.internal.lane;

import static dev.outbox.fixture.InBackground.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.lane.RetryBatch.Attempted;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import dev.outbox.testing.Guarantee;
import dev.outbox.testing.OpenTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RetryLanesTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final ActiveHandlers MAIL = ActiveHandlers.ofAllTypes("mail");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final ClaimSteps claims = new ClaimSteps(outbox);
    private final DeliveryClaimStore deliveries = new DeliveryClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final DeliverySettlementStore outcomes =
            new DeliverySettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);

    @Test
    void recoveredLaneDrainsInBatchesAndInOrder() {
        AtomicBoolean down = new AtomicBoolean(true);
        AtomicInteger settlements = new AtomicInteger();
        Recorded mail = Recorded.failing((attempt) -> down.get() ? new IOException("down") : null);
        outbox
                .handler("mail", "*", mail)
                .listener(new OutboxListener() {
                    @Override
                    public void settled(String stream, Duration duration, int events) {
                        settlements.incrementAndGet();
                    }
                })
                .stream("default", new PollerSettings(Duration.ofMillis(100), 100, LEASE, Duration.ofSeconds(5)));
        outbox.publishOrders("1", 1000);
        outbox.start();
        await().until(() -> outbox.deliveries() == 1000);
        settlements.set(0);
        down.set(false);
        new Lanes(outbox).due();

        outbox.awaitPublished(1000);
        assertThat(mail.sequences())
                .containsEntry("1", LongStream.rangeClosed(1, 1000).boxed().toList());
        assertThat(settlements.get()).isLessThan(50);
    }

    @Test
    void failureHoldsBackTheRestOfItsLane() {
        AtomicBoolean down = new AtomicBoolean(true);
        Recorded mail = Recorded.failing((attempt) -> {
            long seq = attempt.envelope().sequence();
            return seq == 1 && down.get() || seq == 4 && attempt.number() == 1 ? new IOException("down") : null;
        });
        outbox.handler("mail", "*", mail);
        outbox.publishOrders("1", 8);
        outbox.start();
        await().until(() -> outbox.deliveries() == 8);
        down.set(false);
        new Lanes(outbox).due();
        outbox.awaitPublished(3);

        assertThat(outbox.lane()).containsExactly("4 OPEN 1", "5 OPEN 0", "6 OPEN 0", "7 OPEN 0", "8 OPEN 0");
        assertThat(
                        outbox.count(
                                "events.outbox_delivery d JOIN events.outbox_lane l USING (handler_id, aggregate_id) WHERE l.claim_id IS NOT NULL OR d.attempt_count > 1"))
                .isZero();
        new Lanes(outbox).due();
        outbox.awaitPublished(8);
        assertThat(mail.sequences()).containsEntry("1", List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L));
    }

    @Test
    void deadDeliveryLetsItsLanePass() {
        AtomicBoolean down = new AtomicBoolean(true);
        Recorded mail =
                Recorded.failing((attempt) -> switch ((int) attempt.envelope().sequence()) {
                    case 1 -> down.get() ? new IOException("down") : null;
                    case 3 -> new NonRetryableException("never");
                    case 5 -> attempt.number() == 1 ? new IOException("down") : null;
                    default -> null;
                });
        outbox.handler("mail", "*", mail);
        outbox.publishOrders("1", 6);
        outbox.start();
        await().until(() -> outbox.deliveries() == 6);
        down.set(false);
        new Lanes(outbox).due();

        await().until(() -> outbox.lane().equals(List.of("3 DEAD 1", "5 OPEN 1", "6 OPEN 0")));
        new Lanes(outbox).due();
        outbox.awaitPublished(5);
        assertThat(mail.sequences()).containsEntry("1", List.of(1L, 2L, 4L, 5L, 6L));
    }

    @Test
    @Guarantee(value = "G3", sentence = "A delivery queued at the moment its lane empties is the first of the lane.")
    void deliveryQueuedWhileLaneEmptiesIsFirst() throws SQLException {
        outbox.addStream("default");
        EventEnvelope first = outbox.publish("1", new OrderPlaced(1));
        park(claim(), first);
        EventEnvelope second = outbox.publish("1", new OrderPlaced(2));
        ClaimSteps.Found round = claim();
        assertThat(round.events().get(0).blockedHandlers()).containsExactly("mail");
        List<DueDelivery> due = claimDue();

        // The lane empties in a transaction that has not committed when the second event queues behind it: the
        // operator's
        // lock keeps that transaction from ending.
        try (OpenTransaction operator = OpenTransaction.of(outbox.owner())) {
            operator.run("LOCK TABLE events.outbox_published IN SHARE ROW EXCLUSIVE MODE");
            CompletableFuture<DeliverySettlementStore.Settled> emptying = InBackground.run(() -> outcomes.settle(
                    due.get(0).claim(),
                    List.of(new Attempted(due.get(0), DeliveryOutcome.SUCCEEDED)),
                    List.of(),
                    Set.of()));
            outbox.awaitWaiting(1);
            CompletableFuture<Boolean> queueing = InBackground.run(() -> {
                park(round, second);
                return true;
            });
            outbox.awaitWaiting(2);
            operator.rollback();
            assertThat(result(emptying).claimHeld()).isTrue();
            assertThat(result(queueing)).isTrue();
        }

        assertThat(outbox.lane()).containsExactly("2 OPEN 0");
        assertThat(claimDue()).extracting((one) -> one.envelope().id()).containsExactly(second.id());
    }

    private void park(ClaimSteps.Found round, EventEnvelope envelope) throws SQLException {
        assertThat(claims.queue(round, Map.of(envelope, "mail"), DeliveryOutcome.QUEUED))
                .isTrue();
    }

    private ClaimSteps.Found claim() throws SQLException {
        return claims.claim(10, MAIL);
    }

    private List<DueDelivery> claimDue() throws SQLException {
        return deliveries.claimDue(LaneSteps.request("w", MAIL, 10, LEASE));
    }
}
