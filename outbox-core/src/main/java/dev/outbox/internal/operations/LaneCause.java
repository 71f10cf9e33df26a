package dev.outbox.internal.operations;

import dev.outbox.operations.LaneReport.Cause;

/** Decides what a lane waits for: the first cause that applies, in the order of {@link Cause}. */
final class LaneCause {

    private LaneCause() {}

    /** Lease of a worker on the head, or its claim on the aggregate if there is no head. */
    enum Lease {
        NONE,
        LIVE,
        EXPIRED
    }

    /** Delivery at the head of a lane. */
    enum Head {
        /** Only events that await their first delivery wait, and nothing else. */
        NONE,
        DEAD,
        BACKING_OFF,
        DUE
    }

    /** State of the handler in all instances. */
    record HandlerFacts(boolean paused, boolean absent, boolean circuitOpen) {

        /** No handler, or one that can be invoked. */
        static final HandlerFacts READY = new HandlerFacts(false, false, false);
    }

    /** Facts about a lane, which waits unless it has dead letters only. */
    record Facts(boolean waits, boolean streamPaused, HandlerFacts handler, Lease lease, Head head) {}

    static Cause of(Facts lane) {
        if (!lane.waits()) {
            return Cause.DEAD_LETTERS_ONLY;
        }
        if (lane.streamPaused()) {
            return Cause.STREAM_PAUSED;
        }
        if (lane.handler().paused()) {
            return Cause.HANDLER_PAUSED;
        }
        if (lane.lease() != Lease.NONE) {
            return lane.lease() == Lease.LIVE ? Cause.RUNNING : Cause.LEASE_EXPIRED;
        }
        if (lane.head() == Head.DEAD) {
            return Cause.BLOCKED_BY_DEAD_LETTER;
        }
        if (lane.handler().absent()) {
            return Cause.HANDLER_ABSENT;
        }
        if (lane.handler().circuitOpen()) {
            return Cause.CIRCUIT_OPEN;
        }
        return switch (lane.head()) {
            case BACKING_OFF -> Cause.BACKING_OFF;
            case DUE -> Cause.DUE;
            default -> Cause.PENDING;
        };
    }
}
