package dev.outbox.internal.lane;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.lane.RetryBatch.Attempted;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;

/** Redeliveries as a worker makes them, one step after the other. */
public final class LaneSteps {

    public static final String LOCK_EVENTS = LaneSql.LOCK_EVENTS;
    public static final String COMPLETE = LaneSql.COMPLETE;

    private static final Duration LEASE = Duration.ofMinutes(1);

    private final DeliveryClaimStore claims;
    private final DeliverySettlementStore settlements;

    public LaneSteps(TestOutbox outbox) {
        this.claims = new DeliveryClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
        this.settlements = new DeliverySettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    }

    /** Requests lanes however long they are due, crash suspects included. */
    static DeliveryClaimStore.Request request(String worker, ActiveHandlers handlers, int batchSize, Duration lease) {
        return request(worker, handlers, batchSize, true, lease);
    }

    private static DeliveryClaimStore.Request request(
            String worker, ActiveHandlers handlers, int batchSize, boolean withSuspects, Duration lease) {
        return new DeliveryClaimStore.Request(
                "default", worker, handlers, batchSize, withSuspects, lease, OffsetDateTime.MIN);
    }

    public List<DueDelivery> claimDue(int batchSize, ActiveHandlers handlers) throws SQLException {
        return claims.claimDue(request("w", handlers, batchSize, LEASE));
    }

    public List<DueDelivery> claimDueWithoutSuspects(int batchSize, ActiveHandlers handlers) throws SQLException {
        return claims.claimDue(request("w", handlers, batchSize, false, Duration.ofHours(1)));
    }

    /** Settles deliveries, and gives their lanes back; returns how many outcomes were written. */
    public int settle(List<DueDelivery> attempted, DeliveryOutcome outcome) throws SQLException {
        return settle(attempted, outcome, Set.of());
    }

    /** Settles a delivery, and keeps its lane. */
    public int settleKeepingLane(DueDelivery attempted, DeliveryOutcome outcome) throws SQLException {
        return settle(List.of(attempted), outcome, Set.of(Lane.of(attempted)));
    }

    /** Settles deliveries, and gives the lanes back that are not kept. */
    int settle(List<DueDelivery> attempted, DeliveryOutcome outcome, Set<Lane> kept) throws SQLException {
        if (attempted.isEmpty()) {
            return 0;
        }
        List<Attempted> all =
                attempted.stream().map((one) -> new Attempted(one, outcome)).toList();
        DeliverySettlementStore.Settled settled =
                settlements.settle(attempted.get(0).claim(), all, List.of(), kept);
        return settled.claimHeld() ? all.size() - settled.leftOver().size() : 0;
    }
}
