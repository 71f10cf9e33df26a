package dev.outbox.sample.trading;

import java.util.Set;

/** How far an attempt to place an order is. What is concluded is never requested again. */
public enum AttemptStatus {
    /** Nothing has been sent. */
    CREATED,
    /** The exchange was asked, or is about to be. */
    REQUESTED,
    /** The exchange has taken the order. */
    ACKED,
    /** The order is not at the exchange. */
    REJECTED,
    /** The exchange was too busy to look at the order; another attempt may follow. */
    THROTTLED,
    /** Nobody knows whether the exchange has the order, until the reconciliation has asked. */
    UNKNOWN;

    /** Whether the command that asked for the attempt has nothing left to do. */
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
