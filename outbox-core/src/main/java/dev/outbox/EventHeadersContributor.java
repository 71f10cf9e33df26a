package dev.outbox;

import java.util.Map;

/**
 * Adds headers to every event that this service publishes, such as the tenant or the user of the request. Not called for events of other
 * services ({@link OutboxEvent#withOrigin}), which keep their headers. A bean of this type registers itself;
 * several are called in the order of {@code @Order}. {@link HandlerInterceptor} is the counterpart that restores the context.
 */
@FunctionalInterface
public interface EventHeadersContributor {

    /**
     * Adds headers to an event, on the thread of the publisher and in its transaction. An exception fails the publication of the event, and
     * of the batch that it belongs to, with an {@link InvalidEventException} whose cause it is.
     *
     * <p>A header that the {@linkplain OutboxEvent#headers() event itself} has wins. The name {@link EventEnvelope#ORIGIN} is reserved.
     *
     * @param event the event
     * @param headers receives the headers; holds those of earlier contributors, which this one may replace or remove. Neither names nor
     *     values may be {@code null}
     */
    void contribute(OutboxEvent event, Map<String, String> headers);
}
