package dev.outbox.sample.trading;

import java.util.Set;

/** Status of an attempt to place an order. A concluded attempt is never sent again. */
enum AttemptStatus {
    /** Nothing has been sent. */
    CREATED,
    /** The request was sent, or is about to be. */
    REQUESTED,
    /** The exchange has the order. */
    ACKED,
    /** The order is not at the exchange. */
    REJECTED,
    /** The exchange was too busy to process the order; another attempt may follow. */
    THROTTLED,
    /** It is unknown whether the exchange has the order, until the reconciliation has checked. */
    UNKNOWN;

    /** Whether the command of the attempt has nothing left to do. */
    boolean isConcluded() {
        return this != CREATED && this != REQUESTED;
    }

    /** Returns the statuses from which this one may be reached. */
    Set<AttemptStatus> predecessors() {
        return switch (this) {
            // Back to the start only if nothing was sent. A sender that loses its answer may also reopen a rejection:
            // see OrderAttempts.
            case CREATED, THROTTLED, UNKNOWN -> Set.of(REQUESTED);
            case REQUESTED -> Set.of(CREATED);
            case REJECTED -> Set.of(REQUESTED, UNKNOWN);
            // A fill or a late answer proves that the exchange has the order, and corrects an earlier conclusion.
            case ACKED -> Set.of(CREATED, REQUESTED, REJECTED, THROTTLED, UNKNOWN);
        };
    }
}
