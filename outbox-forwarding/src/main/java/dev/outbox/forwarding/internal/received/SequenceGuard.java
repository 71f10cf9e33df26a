package dev.outbox.forwarding.internal.received;

import dev.outbox.forwarding.internal.received.ReceivedStore.Position;

/** Decides by its sequence what happens to an event that is not stored yet. */
public enum SequenceGuard {
    /** The event follows those that are stored. */
    ACCEPT,
    /** The predecessor of the event has not arrived. */
    HOLD,
    /** A later event of the aggregate from the same topic is stored already. */
    LATE;

    /**
     * Compares with the position of the aggregate; its first event may have any sequence. Another topic may have carried the predecessor,
     * but only the own one gives an order.
     */
    public static SequenceGuard decide(Position position, long sequence, boolean holdsGaps) {
        if (sequence <= position.last()) {
            return LATE;
        }
        boolean gap = position.highest() != ReceivedStore.NONE && sequence > position.highest() + 1;
        return gap && holdsGaps ? HOLD : ACCEPT;
    }
}
