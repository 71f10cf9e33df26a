package dev.outbox.internal.payload;

/** What happens to an event whose payload lacks a field that its record requires. */
public enum MissingFields {
    /** The handler gets the event; a warning per handler and event type names the fields. */
    WARN,
    /** The delivery becomes a dead letter. */
    FAIL,
    /** The handler gets the event. */
    IGNORE
}
