package dev.outbox.internal.inspect;

import dev.outbox.internal.inspect.LaneStore.First;
import dev.outbox.internal.inspect.LaneStore.Lane;
import dev.outbox.internal.registry.HandlerState;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.LaneReport.Cause;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
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
        return pending.events() == 0
                ? List.of()
                : List.of(report(null, null, cause(pending.cause(), hindrances(pending.stream())), 0, 0));
    }

    private LaneReport report(Lane lane) {
        First first = lane.first();
        Set<Cause> hindrances = hindrances(first == null ? pending.stream() : first.delivery().event().stream());
        hindrances.addAll(hindrancesOf(lane.handlerId()));
        return report(lane.handlerId(), first, cause(own(lane), hindrances), lane.waiting(), lane.dead());
    }

    private LaneReport report(@Nullable String handlerId, @Nullable First first, Cause cause, long waiting, long dead) {
        return new LaneReport(
                handlerId,
                aggregateType,
                aggregateId,
                cause,
                first == null ? null : first.delivery(),
                first == null ? List.of() : first.failures(),
                new LaneReport.Counts(waiting, dead, pending.events()));
    }

    /** What the row of the lane says or, without one, the claim of the aggregate. */
    private Cause own(Lane lane) {
        if (lane.cause() != null) {
            return lane.cause();
        }
        return pending.events() > 0 ? pending.cause() : Cause.DEAD_LETTERS_ONLY;
    }

    private Set<Cause> hindrances(@Nullable String stream) {
        return stream != null && aggregate.pausedStreams().contains(stream)
                ? EnumSet.of(Cause.STREAM_PAUSED)
                : EnumSet.noneOf(Cause.class);
    }

    private Set<Cause> hindrancesOf(String handlerId) {
        HandlerState handler = known.find(handlerId);
        if (handler == null) {
            return EnumSet.of(Cause.HANDLER_ABSENT);
        }
        Set<Cause> found = EnumSet.noneOf(Cause.class);
        if (handler.paused()) {
            found.add(Cause.HANDLER_PAUSED);
        }
        if (!handler.isPresent()) {
            found.add(Cause.HANDLER_ABSENT);
        }
        if (!known.circuitOpenIn(handler.id()).isEmpty()) {
            found.add(Cause.CIRCUIT_OPEN);
        }
        return found;
    }

    /** Returns the first that applies: the constants are in that order. Nothing hinders a lane that does not wait. */
    static Cause cause(Cause own, Set<Cause> hindrances) {
        Set<Cause> all = EnumSet.of(own);
        if (own != Cause.DEAD_LETTERS_ONLY) {
            all.addAll(hindrances);
        }
        return all.iterator().next();
    }
}
