package dev.outbox.internal.dispatch;

/** What happens to an event whose payload lacks a field that its record requires. */
public enum MissingFields {
    /** The handler gets it; a warning per handler and event type names the fields. */
    WARN,
    /** It is a dead letter for the handler. */
    FAIL,
    /** The handler gets it. */
    IGNORE
}
