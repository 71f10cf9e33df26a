package dev.outbox;

import java.util.Arrays;
import java.util.List;
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
    private final ContextHandler<Object> handler;
    private final Traits traits;

    /** What a handler wants beside its events. */
    private record Traits(boolean deduplicates, OnDead onDead, List<String> aliases) {

        static final Traits NONE = new Traits(false, OnDead.CONTINUE, List.of());
    }

    private HandlerDefinition(
            String id,
            Set<String> eventTypes,
            @Nullable Class<?> payloadType,
            ContextHandler<Object> handler,
            Traits traits) {
        this.id = id;
        this.eventTypes = Set.copyOf(eventTypes);
        this.payloadType = payloadType;
        this.handler = handler;
        this.traits = traits;
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
        return new HandlerDefinition(
                id, eventTypes, null, (ignored, envelope, context) -> handler.handle(envelope), Traits.NONE);
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
    public static <T> HandlerDefinition of(
            String id, Set<String> eventTypes, Class<T> payloadType, PayloadHandler<T> handler) {
        return withContext(
                id, eventTypes, payloadType, (payload, envelope, context) -> handler.handle(payload, envelope));
    }

    /**
     * Defines a handler that asks about its attempt while it runs.
     *
     * @param <T> the payload's class; may be {@code JsonNode}
     * @param id the handler id, unique and stable
     * @param eventTypes the event types; that of the payload class if empty
     * @param payloadType the payload's class, or {@code null} if the handler needs none: it gets the envelope in its place
     * @param handler the code to run
     * @return the definition
     */
    @SuppressWarnings("unchecked") // dispatch passes an instance of payloadType
    public static <T> HandlerDefinition withContext(
            String id, Set<String> eventTypes, @Nullable Class<T> payloadType, ContextHandler<T> handler) {
        return new HandlerDefinition(id, eventTypes, payloadType, (ContextHandler<Object>) handler, Traits.NONE);
    }

    private HandlerDefinition with(Traits other) {
        return new HandlerDefinition(id, eventTypes, payloadType, handler, other);
    }

    /**
     * Returns the same handler, run in a transaction in which each event is processed once; see
     * {@link OutboxHandler#deduplicate()}.
     *
     * @return a deduplicating copy
     */
    public HandlerDefinition deduplicating() {
        return with(new Traits(true, traits.onDead(), traits.aliases()));
    }

    /**
     * Returns the same handler with another policy for dead events; see {@link OutboxHandler#onDead()}.
     *
     * @param onDead what happens to later events of the same aggregate
     * @return a changed copy
     */
    public HandlerDefinition onDead(OnDead onDead) {
        return with(new Traits(traits.deduplicates(), onDead, traits.aliases()));
    }

    /**
     * Returns the same handler, known by former ids too; see {@link OutboxHandler#aliases()}.
     *
     * @param aliases the ids that it had before
     * @return a changed copy
     */
    public HandlerDefinition aliases(String... aliases) {
        return with(new Traits(traits.deduplicates(), traits.onDead(), List.of(aliases)));
    }

    /**
     * Returns the same handler with other code around it.
     *
     * @param around the code; decides whether and when the handler's own runs
     * @return a changed copy
     */
    public HandlerDefinition around(Around around) {
        return new HandlerDefinition(
                id,
                eventTypes,
                payloadType,
                (payload, envelope, context) -> around.handle(payload, envelope, context, handler),
                traits);
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
        return traits.deduplicates();
    }

    /**
     * Returns the policy for dead events.
     *
     * @return what happens to later events of the same aggregate
     */
    public OnDead onDead() {
        return traits.onDead();
    }

    /**
     * Returns the ids that the handler had before.
     *
     * @return the former ids
     */
    public List<String> aliases() {
        return traits.aliases();
    }

    /**
     * Runs the handler's code on the calling thread, deduplicated or not.
     *
     * @param payload the decoded payload; any value where there is no {@link #payloadType()}
     * @param envelope the event
     * @param context the attempt
     * @throws Exception whatever the code throws
     */
    public void handle(Object payload, EventEnvelope envelope, EventContext context) throws Exception {
        handler.handle(payload, envelope, context);
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

    /**
     * Code that handles a decoded payload and its envelope, and asks about its attempt.
     *
     * @param <T> the payload's class
     */
    @FunctionalInterface
    public interface ContextHandler<T> {

        /**
         * Handles one event.
         *
         * @param payload the decoded payload
         * @param envelope the event
         * @param context the attempt
         * @throws Exception if the attempt failed
         */
        void handle(T payload, EventEnvelope envelope, EventContext context) throws Exception;
    }

    /** Code around a handler's own. */
    @FunctionalInterface
    public interface Around {

        /**
         * Handles one event, with or without the handler.
         *
         * @param payload the decoded payload
         * @param envelope the event
         * @param context the attempt
         * @param handler the handler's own code
         * @throws Exception if the attempt failed
         */
        void handle(Object payload, EventEnvelope envelope, EventContext context, ContextHandler<Object> handler)
                throws Exception;
    }
}
