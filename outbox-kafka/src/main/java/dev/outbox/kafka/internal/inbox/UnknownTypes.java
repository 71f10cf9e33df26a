package dev.outbox.kafka.internal.inbox;

/** What happens to an event that no handler takes. */
public enum UnknownTypes {
    /** Stores the event: it is history, which a replay delivers to a later handler. */
    STORE,
    /** Makes the event a dead letter. */
    DEAD_LETTER,
    /** Drops the event. */
    IGNORE
}
