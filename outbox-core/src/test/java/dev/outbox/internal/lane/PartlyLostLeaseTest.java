package dev.outbox.internal.lane;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class PartlyLostLeaseTest {

    private static final Duration LEASE = Duration.ofSeconds(6);

    private final TestOutbox late = TestOutbox.create();
    private final TestOutbox owner = late.another();
    private final CountDownLatch began = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final Recorded handledLate = Recorded.all();
    private final Recorded handledByOwner = Recorded.all();

    @AfterEach
    void close() {
        mayEnd.countDown();
        owner.close();
        late.close();
    }

    @Test
    void renewalRevivesNoLostDelivery() {
        late.handler("any", "*", (envelope) -> {
                    handledLate.handle(envelope);
                    began.countDown();
                    awaitLatch(mayEnd);
                })
                .poller(Duration.ofMillis(20), 50, LEASE);
        Lanes lanes = new Lanes(late);
        EventEnvelope held = lanes.publish("held", 1).get(0);
        EventEnvelope lost = lanes.publish("lost", 1).get(0);
        List.of(held, lost).forEach((event) -> lanes.failed("any", event));
        becomeDueInOrder();
        late.start();
        awaitLatch(began);

        expire(lost);
        owner.handler("any", "*", handledByOwner)
                .poller(Duration.ofMillis(20), 50, LEASE)
                .start();
        assertThat(late.event(lost)).becomesPublished();
        // Longer than a lease: only renewals keep the rest of the batch.
        await().atMost(LEASE.multipliedBy(3)).until(() -> renewedAfter(held) > LEASE.toMillis());
        mayEnd.countDown();

        assertThat(late.event(held)).becomesPublished();
        late.runtime().close();
        assertThat(handledByOwner.sequences()).containsOnlyKeys("lost");
        assertThat(handledLate.sequences())
                .as("the late worker starts nothing that it has lost")
                .containsOnlyKeys("held");
    }

    @Test
    void operatorEndsAnExpiredLease() throws SQLException {
        Lanes lanes = new Lanes(late);
        List<EventEnvelope> lane = lanes.publish("lane", 3);
        lanes.dead("any", lane.get(0));
        lanes.waiting("any", lane.get(1));
        lanes.waiting("any", lane.get(2));
        late.handler("any", "*", handledLate);
        late.addStream("default");
        DeliveryClaimStore claims = new DeliveryClaimStore(late.dataSource(), OutboxSchema.DEFAULT);
        List<DueDelivery> claimed =
                claims.claimDue(LaneSteps.request("late", ActiveHandlers.ofAllTypes("any"), 10, LEASE));
        assertThat(claimed).hasSize(2);

        expire(lane.get(1));
        late.runtime()
                .operations()
                .retry(DeliverySelection.all().withStatus(DeliveryStatus.DEAD), "ann", "the cause is mended");

        Set<Lane> lanesOfLate = Set.of(Lane.of(claimed.get(0)));
        assertThat(claims.renew(lanesOfLate, claimed.get(0).fence(), LEASE)).isEmpty();
        assertThat(claims.confirm(lanesOfLate, claimed.get(0).fence())).isEmpty();
    }

    private void becomeDueInOrder() {
        new Lanes(late).due();
        late.sql()
                .sql("UPDATE events.outbox_lane SET due_at = now() - interval '1 s' WHERE aggregate_id = 'held'")
                .update();
    }

    private void expire(EventEnvelope event) {
        late.sql()
                .sql("UPDATE events.outbox_lane SET due_at = now() - interval '1 s' WHERE aggregate_id = ?")
                .param(event.aggregateId())
                .update();
    }

    /** The milliseconds between the attempt and the end of its lease, less one lease. */
    private long renewedAfter(EventEnvelope event) {
        return late.sql()
                .sql("SELECT extract(epoch FROM due_at - claimed_at)::bigint * 1000 - ? FROM"
                        + " events.outbox_lane WHERE aggregate_id = ?")
                .param(LEASE.toMillis())
                .param(event.aggregateId())
                .query(Long.class)
                .single();
    }
}
