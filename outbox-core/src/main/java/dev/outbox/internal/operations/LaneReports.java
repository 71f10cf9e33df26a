package dev.outbox.internal.operations;

import dev.outbox.internal.operations.LaneCause.Facts;
import dev.outbox.internal.operations.LaneCause.HandlerFacts;
import dev.outbox.internal.operations.LaneCause.Lease;
import dev.outbox.internal.store.HandlerState;
import dev.outbox.internal.store.LaneStore;
import dev.outbox.internal.store.LaneStore.Head;
import dev.outbox.internal.store.LaneStore.Lane;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.LaneReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes reports on the lanes of an aggregate of what the store has read. */
final class LaneReports {

    private final String aggregateType;
    private final String aggregateId;
    private final LaneStore.Aggregate aggregate;
    private final LaneStore.Pending pending;
    private final KnownHandlers known;

    LaneReports(String aggregateType, String aggregateId, LaneStore.Aggregate aggregate) {
        this.aggregateType = aggregateType;
        this.aggregateId = aggregateId;
        this.aggregate = aggregate;
        this.pending = aggregate.pending();
        this.known = new KnownHandlers(aggregate.registry());
    }

    List<LaneReport> all() {
        if (!aggregate.lanes().isEmpty()) {
            return aggregate.lanes().stream().map(this::report).toList();
        }
        return pending.events() == 0 ? List.of() : List.of(withoutHandler());
    }

    private LaneReport withoutHandler() {
        Facts facts = new Facts(
                true,
                isPaused(pending.stream()),
                HandlerFacts.READY,
                lease(pending.claimIsLive()),
                LaneCause.Head.NONE);
        return report(null, facts, null, new LaneReport.Counts(0, 0, pending.events()));
    }

    private LaneReport report(Lane lane) {
        Head head = lane.head();
        Facts facts = new Facts(
                head != null || lane.waiting() > 0 || pending.events() > 0,
                isPaused(head == null ? pending.stream() : head.delivery().event().stream()),
                handler(lane.handlerId()),
                lease(head == null ? pending.claimIsLive() : head.leaseIsLive()),
                kind(lane));
        return report(
                lane.handlerId(), facts, head, new LaneReport.Counts(lane.waiting(), lane.dead(), pending.events()));
    }

    private LaneReport report(@Nullable String handlerId, Facts facts, @Nullable Head head, LaneReport.Counts counts) {
        return new LaneReport(
                handlerId,
                aggregateType,
                aggregateId,
                LaneCause.of(facts),
                head == null ? null : head.delivery(),
                head == null ? List.of() : head.failures(),
                counts);
    }

    private boolean isPaused(@Nullable String stream) {
        return stream != null && aggregate.pausedStreams().contains(stream);
    }

    private HandlerFacts handler(String handlerId) {
        HandlerState handler = known.find(handlerId);
        return handler == null
                ? new HandlerFacts(false, true, false)
                : new HandlerFacts(
                        handler.paused(),
                        !handler.isPresent(),
                        !known.circuitOpenIn(handler.id()).isEmpty());
    }

    private static Lease lease(@Nullable Boolean live) {
        if (live == null) {
            return Lease.NONE;
        }
        return live ? Lease.LIVE : Lease.EXPIRED;
    }

    /** A lane whose deliveries wait without a head gets one at the next settlement. */
    private static LaneCause.Head kind(Lane lane) {
        Head head = lane.head();
        if (head == null) {
            return lane.waiting() > 0 ? LaneCause.Head.DUE : LaneCause.Head.NONE;
        }
        if (head.delivery().state().status() == DeliveryStatus.DEAD) {
            return LaneCause.Head.DEAD;
        }
        return head.backsOff() ? LaneCause.Head.BACKING_OFF : LaneCause.Head.DUE;
    }
}
