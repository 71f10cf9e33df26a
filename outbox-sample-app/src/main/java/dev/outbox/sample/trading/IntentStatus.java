package dev.outbox.sample.trading;

import java.util.Set;

/** Status of an intent: the state of its order, across all attempts to place it. */
enum IntentStatus {
    /** An attempt is being made, or follows. */
    OPEN,
    /** The exchange has the order. */
    ACCEPTED,
    /** The exchange has executed a part of the order. */
    PARTIALLY_FILLED,
    /** The exchange has executed the whole order. */
    FILLED,
    /** The exchange rejected the order or never received it. */
    REJECTED,
    /** The exchange was too busy for each permitted attempt. */
    EXHAUSTED,
    /** The command to place the order is dead. An operator must decide. */
    HALTED;

    /** Whether the exchange has an order of the intent. */
    boolean isPlaced() {
        return this == ACCEPTED || this == PARTIALLY_FILLED || this == FILLED;
    }

    /** Returns the statuses from which this one may be reached. */
    Set<IntentStatus> predecessors() {
        return switch (this) {
            case OPEN -> Set.of(HALTED);
            // The exchange has the last word: its order exists, whatever the intent was before.
            case ACCEPTED -> Set.of(OPEN, REJECTED, EXHAUSTED, HALTED);
            case PARTIALLY_FILLED -> Set.of(ACCEPTED);
            case FILLED -> Set.of(ACCEPTED, PARTIALLY_FILLED);
            case REJECTED, EXHAUSTED, HALTED -> Set.of(OPEN);
        };
    }
}
