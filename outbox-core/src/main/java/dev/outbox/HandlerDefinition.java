package dev.outbox;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A handler: its id, its event types, the class of the decoded payload, and the code to run. {@link OutboxHandler} methods are converted to
 * definitions; a bean of this type registers a handler without the annotation. Immutable.
 */
public final class HandlerDefinition {

    /** Subscribes to every event type. */
    public static final String ALL_EVENT_TYPES = "*";

    private final String id;
    private final Set<String> eventTypes;
    private final @Nullable Class<?> payloadType;
    private final ContextHandler<Object> handler;
    private final Traits traits;

    /** Options of a handler. */
    private record Traits(
            boolean deduplicates,
            OnDead onDead,
            List<String> aliases,
            @Nullable DeadLetterHandler deadLetters) {

        static final Traits NONE = new Traits(false, OnDead.CONTINUE, List.of(), null);
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
     * Defines a handler of envelopes, without a decoded payload.
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
     * Defines a handler of the event type that the payload class determines.
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
     * Defines a handler of several event types with one payload class.
     *
     * @param <T> the payload's class; may be {@code JsonNode}
     * @param id the handler id, unique and stable
     * @param eventTypes the event types; if empty, the type that the payload class determines
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
     * Defines a handler that receives the context of its attempt.
     *
     * @param <T> the payload's class; may be {@code JsonNode}
     * @param id the handler id, unique and stable
     * @param eventTypes the event types; if empty, the type that the payload class determines
     * @param payloadType the payload's class, or {@code null} to receive the envelope instead
     * @param handler the code to run
     * @return the definition
     */
    @SuppressWarnings("unchecked") // dispatch passes an instance of payloadType
    public static <T> HandlerDefinition withContext(
            String id, Set<String> eventTypes, @Nullable Class<T> payloadType, ContextHandler<T> handler) {
        return new HandlerDefinition(id, eventTypes, payloadType, (ContextHandler<Object>) handler, Traits.NONE);
    }

    /** {@return the same handler with deduplication; see {@link OutboxHandler#deduplicate()}} */
    public HandlerDefinition deduplicating() {
        return with(new Traits(true, traits.onDead(), traits.aliases(), traits.deadLetters()));
    }

    /**
     * Returns the same handler with a policy for dead deliveries; see {@link OutboxHandler#onDead()}.
     *
     * @param onDead the policy for later events of the same aggregate
     * @return a changed copy
     */
    public HandlerDefinition onDead(OnDead onDead) {
        return with(new Traits(traits.deduplicates(), onDead, traits.aliases(), traits.deadLetters()));
    }

    /**
     * Returns the same handler with former ids; see {@link OutboxHandler#aliases()}.
     *
     * @param aliases the former ids
     * @return a changed copy
     */
    public HandlerDefinition aliases(String... aliases) {
        return with(new Traits(traits.deduplicates(), traits.onDead(), List.of(aliases), traits.deadLetters()));
    }

    /**
     * Returns the same handler with code for its dead letters; see {@link OutboxDeadLetter}.
     *
     * @param deadLetters the code to run for each dead letter
     * @return a changed copy
     */
    public HandlerDefinition onDeadLetter(DeadLetterHandler deadLetters) {
        return with(new Traits(traits.deduplicates(), traits.onDead(), traits.aliases(), deadLetters));
    }

    private HandlerDefinition with(Traits changed) {
        return new HandlerDefinition(id, eventTypes, payloadType, handler, changed);
    }

    /**
     * Returns the same handler with decorated code.
     *
     * @param decorator wraps the code of the handler, and decides whether and when it runs
     * @return a changed copy
     */
    public HandlerDefinition decorated(UnaryOperator<ContextHandler<Object>> decorator) {
        return new HandlerDefinition(id, eventTypes, payloadType, decorator.apply(handler), traits);
    }

    /** {@return the handler id} */
    public String id() {
        return id;
    }

    /** {@return the event types; empty if the payload class determines the type} */
    public Set<String> eventTypes() {
        return eventTypes;
    }

    /** {@return the class of the decoded payload, or {@code null} if the handler takes envelopes only} */
    public @Nullable Class<?> payloadType() {
        return payloadType;
    }

    /** {@return whether the handler deduplicates} */
    public boolean deduplicates() {
        return traits.deduplicates();
    }

    /** {@return the policy for later events of the same aggregate after a dead delivery} */
    public OnDead onDead() {
        return traits.onDead();
    }

    /** {@return the former ids} */
    public List<String> aliases() {
        return traits.aliases();
    }

    /** {@return the code for dead letters, or {@code null} if the handler has none} */
    public @Nullable DeadLetterHandler deadLetterHandler() {
        return traits.deadLetters();
    }

    /**
     * Runs the code of the handler on the calling thread.
     *
     * @param payload the decoded payload; ignored without a {@link #payloadType()}
     * @param envelope the event
     * @param context the attempt
     * @throws Exception if the attempt failed
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

    /** Code that handles a dead letter in a transaction; an exception rolls it back and repeats the call later. */
    @FunctionalInterface
    public interface DeadLetterHandler {
        void handle(DeadLetter deadLetter) throws Exception;
    }

    /** Code that handles an envelope; an exception fails the attempt. */
    @FunctionalInterface
    public interface EnvelopeHandler {
        void handle(EventEnvelope envelope) throws Exception;
    }

    /**
     * Code that handles a decoded payload and its envelope; an exception fails the attempt.
     *
     * @param <T> the payload's class
     */
    @FunctionalInterface
    public interface PayloadHandler<T> {
        void handle(T payload, EventEnvelope envelope) throws Exception;
    }

    /**
     * Code that handles a decoded payload, its envelope and the context of the attempt; an exception fails the attempt.
     *
     * @param <T> the payload's class
     */
    @FunctionalInterface
    public interface ContextHandler<T> {
        void handle(T payload, EventEnvelope envelope, EventContext context) throws Exception;
    }
}
