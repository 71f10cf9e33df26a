package dev.outbox.sample.eventbus;

/**
 * A command or an event. Its class names its type.
 *
 * @param stream one of {@link Streams}
 * @param aggregateType the kind of entity that it is about
 * @param aggregateId the entity; messages about it stay in order
 * @param payload what is to happen, or has happened
 * @param origin on whose behalf
 */
public record Message(String stream, String aggregateType, String aggregateId, Object payload, Origin origin) {

    /** The key in the log context that names the trace which a message is part of. The bus carries it along. */
    public static final String TRACE_ID = "traceId";
}
