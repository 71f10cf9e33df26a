package dev.outbox;

import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A handler: its id, the event types that it wants, the class that the payload is decoded to, and the code to run. What
 * {@link OutboxHandler} methods become; also the way to register a handler by program, as a bean of this type.
 */
public final class HandlerDefinition {

    /** Stands for every event type. */
    public static final String ALL_EVENT_TYPES = "*";

    private final String id;
    private final Set<String> eventTypes;
    private final @Nullable Class<?> payloadType;
    private final PayloadHandler<Object> handler;
    private final boolean deduplicates;

    private HandlerDefinition(
            String id,
            Set<String> eventTypes,
            @Nullable Class<?> payloadType,
            PayloadHandler<Object> handler,
            boolean deduplicates) {
        this.id = id;
        this.eventTypes = Set.copyOf(eventTypes);
        this.payloadType = payloadType;
        this.handler = handler;
        this.deduplicates = deduplicates;
    }

    /**
     * Defines a handler that takes envelopes and needs no decoded payload.
     *
     * @param id the handler id, unique and stable
     * @param eventTypes the event types, or {@link #ALL_EVENT_TYPES}
     * @param handler the code to run
     * @return the definition
     */
    public static HandlerDefinition of(String id, Set<String> eventTypes, EnvelopeHandler handler) {
        return new HandlerDefinition(id, eventTypes, null, (ignored, envelope) -> handler.handle(envelope), false);
    }

    /**
     * Defines a handler of one event type, that of the payload class.
     *
     * @param <T> the payload's class
     * @param id the handler id, unique and stable
     * @param payloadType the payload's class
     * @param handler the code to run
     * @return the definition
     */
    public static <T> HandlerDefinition of(String id, Class<T> payloadType, PayloadHandler<T> handler) {
        return of(id, Set.of(), payloadType, handler);
    }

    /**
     * Defines a handler of the given event types, all of which are decoded to one class.
     *
     * @param <T> the payload's class; may be {@code JsonNode}
     * @param id the handler id, unique and stable
     * @param eventTypes the event types; that of the payload class if empty
     * @param payloadType the payload's class
     * @param handler the code to run
     * @return the definition
     */
    @SuppressWarnings("unchecked") // dispatch passes an instance of payloadType
    public static <T> HandlerDefinition of(
            String id, Set<String> eventTypes, Class<T> payloadType, PayloadHandler<T> handler) {
        return new HandlerDefinition(id, eventTypes, payloadType, (PayloadHandler<Object>) handler, false);
    }

    /**
     * Returns the same handler, run in a transaction in which each event is processed once; see
     * {@link OutboxHandler#deduplicate()}.
     *
     * @return a deduplicating copy
     */
    public HandlerDefinition deduplicating() {
        return new HandlerDefinition(id, eventTypes, payloadType, handler, true);
    }

    /**
     * Returns the handler id.
     *
     * @return the id
     */
    public String id() {
        return id;
    }

    /**
     * Returns the event types as given; empty where the payload class decides.
     *
     * @return the event types
     */
    public Set<String> eventTypes() {
        return eventTypes;
    }

    /**
     * Returns the class that the payload is decoded to.
     *
     * @return the class, or {@code null} where the handler takes the envelope only
     */
    public @Nullable Class<?> payloadType() {
        return payloadType;
    }

    /**
     * Says whether the handler is to have its effects in the database once for each event.
     *
     * @return whether it deduplicates
     */
    public boolean deduplicates() {
        return deduplicates;
    }

    /**
     * Runs the handler's code on the calling thread, deduplicated or not.
     *
     * @param payload the decoded payload; any value where there is no {@link #payloadType()}
     * @param envelope the event
     * @throws Exception whatever the code throws
     */
    public void handle(Object payload, EventEnvelope envelope) throws Exception {
        handler.handle(payload, envelope);
    }

    @Override
    public String toString() {
        String[] types = eventTypes.toArray(String[]::new);
        Arrays.sort(types);
        return id + (payloadType == null ? "" : " of " + payloadType.getName()) + " " + Arrays.toString(types);
    }

    /** Code that handles an envelope. */
    @FunctionalInterface
    public interface EnvelopeHandler {

        /**
         * Handles one event.
         *
         * @param envelope the event
         * @throws Exception if the attempt failed
         */
        void handle(EventEnvelope envelope) throws Exception;
    }

    /**
     * Code that handles a decoded payload and its envelope.
     *
     * @param <T> the payload's class
     */
    @FunctionalInterface
    public interface PayloadHandler<T> {

        /**
         * Handles one event.
         *
         * @param payload the decoded payload
         * @param envelope the event
         * @throws Exception if the attempt failed
         */
        void handle(T payload, EventEnvelope envelope) throws Exception;
    }
}
