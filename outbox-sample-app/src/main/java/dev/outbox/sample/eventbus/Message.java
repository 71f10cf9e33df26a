package dev.outbox.sample.eventbus;

/**
 * A command or an event. Its class names its type.
 *
 * @param stream one of {@link Streams}
 * @param aggregateType the aggregate type
 * @param aggregateId the aggregate id; messages of one aggregate stay in order
 * @param payload the command or event
 * @param origin the owner, strategy and market
 */
public record Message(String stream, String aggregateType, String aggregateId, Object payload, Origin origin) {

    /** Key of the trace id in the log context. The bus passes it on. */
    public static final String TRACE_ID = "traceId";
}
