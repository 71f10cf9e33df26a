package dev.outbox.sample.trading;

import java.util.Set;

/** Status of an attempt to place an order. A concluded attempt is never sent again. */
public enum AttemptStatus {
    /** Nothing has been sent. */
    CREATED,
    /** The request was sent, or is about to be. */
    REQUESTED,
    /** The exchange has taken the order. */
    ACKED,
    /** The order is not at the exchange. */
    REJECTED,
    /** The exchange was too busy to process the order; another attempt may follow. */
    THROTTLED,
    /** It is unknown whether the exchange has the order, until the reconciliation has checked. */
    UNKNOWN;

    /** Whether the command of the attempt has nothing left to do. */
    public boolean isConcluded() {
        return this != CREATED && this != REQUESTED;
    }

    /** The states from which this one may be reached. */
    public Set<AttemptStatus> predecessors() {
        return switch (this) {
            // Back to the start only if nothing was sent.
            case CREATED, THROTTLED, UNKNOWN -> Set.of(REQUESTED);
            case REQUESTED -> Set.of(CREATED);
            case ACKED, REJECTED -> Set.of(REQUESTED, UNKNOWN);
        };
    }
}
