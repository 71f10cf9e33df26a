package dev.outbox.kafka.internal.inbox;

/** What happens to an event whose sequence is not above the last one. */
public enum Late {
    /** Stores the event behind the later ones. */
    ACCEPT,
    /** Makes the event a dead letter. */
    DEAD_LETTER,
    /** Drops the event. */
    DROP
}
