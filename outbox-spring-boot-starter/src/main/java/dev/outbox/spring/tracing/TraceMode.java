package dev.outbox.spring.tracing;

/** How handlers use the trace of their event, as the property {@code outbox.tracing.mode}. */
public enum TraceMode {

    /** Continues the trace of a fresh event, and links to that of a late or replayed one. */
    AUTO,

    /** Continues the trace. */
    PARENT,

    /** Begins a new trace with a link. */
    LINK
}
