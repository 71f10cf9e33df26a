package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.store.ReceivedStore;

/** Decides by its sequence what happens to an event that is not stored yet. */
enum SequenceGuard {
    /** The event follows those that are stored. */
    ACCEPT,
    /** The predecessor of the event has not arrived. */
    HOLD,
    /** A later event of the aggregate is stored already. */
    LATE;

    /** Compares with the last sequence of the aggregate; the first event of an aggregate may have any. */
    static SequenceGuard decide(long last, long sequence, boolean holdsGaps) {
        if (sequence <= last) {
            return LATE;
        }
        boolean gap = last != ReceivedStore.NONE && sequence > last + 1;
        return gap && holdsGaps ? HOLD : ACCEPT;
    }
}
