package dev.outbox;

import dev.outbox.HandlerCode.ContextHandler;
import dev.outbox.HandlerCode.EnvelopeHandler;
import dev.outbox.HandlerCode.PayloadHandler;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
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
    private final HandlerOptions options;

    private HandlerDefinition(
            String id,
            Set<String> eventTypes,
            @Nullable Class<?> payloadType,
            ContextHandler<Object> handler,
            HandlerOptions options) {
        this.id = id;
        this.eventTypes = Set.copyOf(eventTypes);
        this.payloadType = payloadType;
        this.handler = handler;
        this.options = options;
    }

    /**
     * Defines a handler of envelopes.
     *
     * @param id the handler id, unique and stable
     * @param eventTypes the event types, or {@link #ALL_EVENT_TYPES}
     * @param handler the code to run
     * @return the definition
     */
    public static HandlerDefinition of(String id, Set<String> eventTypes, EnvelopeHandler handler) {
        return withContext(id, eventTypes, null, (ignored, envelope, context) -> handler.handle(envelope));
    }

    /**
     * Defines a handler of one event type.
     *
     * @param <T> the payload's class, which determines the event type
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
        return new HandlerDefinition(
                id, eventTypes, payloadType, (ContextHandler<Object>) handler, HandlerOptions.NONE);
    }

    /**
     * Defines a handler of many events at a time; see {@link OutboxHandler} for the rules.
     *
     * @param <T> the class of the payloads; {@code EventEnvelope} without a payload class
     * @param id the handler id, unique and stable
     * @param eventTypes the event types; if empty, the type that the payload class determines
     * @param payloadType the class of the payloads, or {@code null} to receive the envelopes instead
     * @param handler the code to run
     * @return the definition
     */
    public static <T> HandlerDefinition ofBatch(
            String id, Set<String> eventTypes, @Nullable Class<T> payloadType, BatchHandler<T> handler) {
        return new HandlerDefinition(id, eventTypes, payloadType, HandlerBatch.unpack(handler), HandlerOptions.BATCHES);
    }

    /** {@return the same handler with {@linkplain OutboxHandler#deduplicate() deduplication}} */
    public HandlerDefinition deduplicating() {
        return with(options.deduplicating());
    }

    /**
     * Returns the same handler with a policy for dead deliveries.
     *
     * @param onDead the policy for later events of the same aggregate; see {@link OutboxHandler#onDead()}
     * @return a changed copy
     */
    public HandlerDefinition onDead(OnDead onDead) {
        return with(options.onDead(onDead));
    }

    /**
     * Returns the same handler with former ids; see {@link OutboxHandler#aliases()}.
     *
     * @param aliases the former ids
     * @return a changed copy
     */
    public HandlerDefinition aliases(String... aliases) {
        return with(options.aliases(List.of(aliases)));
    }

    /**
     * Returns the same handler with code for its dead letters; see {@link OutboxDeadLetter}.
     *
     * @param deadLetters the code to run for each dead letter
     * @return a changed copy
     */
    public HandlerDefinition onDeadLetter(HandlerCode.DeadLetterHandler deadLetters) {
        return with(options.deadLetters(deadLetters));
    }

    /**
     * Returns the same handler with a maximum size of its batches.
     *
     * @param batchSize the maximum number of events, at least 1, unless the configuration sets another
     * @return a changed copy
     * @throws IllegalArgumentException if the size is below 1
     */
    public HandlerDefinition batchSize(int batchSize) {
        return with(options.batch(new HandlerOptions.Batches(batchSize)));
    }

    /**
     * Returns the same handler with a circuit breaker.
     *
     * @param circuit the circuit breaker, unless the configuration sets another
     * @return a changed copy
     */
    public HandlerDefinition circuit(CircuitBreaker circuit) {
        return with(options.circuit(circuit));
    }

    /**
     * Returns the same handler for some of the events of its types. The others count as handled.
     *
     * @param filter selects the events; called at least once for each attempt, which fails if the filter throws
     * @return a changed copy
     */
    public HandlerDefinition accepting(Predicate<EventEnvelope> filter) {
        return with(options.accepting(filter));
    }

    private HandlerDefinition with(HandlerOptions changed) {
        return new HandlerDefinition(id, eventTypes, payloadType, handler, changed);
    }

    /**
     * Returns the same handler with decorated code. The payload of a batch handler is a {@link HandlerBatch}.
     *
     * @param decorator wraps the code of the handler, and decides whether and when it runs
     * @return a changed copy
     */
    public HandlerDefinition decorated(UnaryOperator<ContextHandler<Object>> decorator) {
        return new HandlerDefinition(id, eventTypes, payloadType, decorator.apply(handler), options);
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
        return options.deduplicates();
    }

    /** {@return the policy for later events of the same aggregate after a dead delivery} */
    public OnDead onDead() {
        return options.onDead();
    }

    /** {@return the former ids} */
    public List<String> aliases() {
        return options.aliases();
    }

    /** {@return the options} */
    public HandlerOptions options() {
        return options;
    }

    /** {@return the code for dead letters, or {@code null} if the handler has none} */
    public HandlerCode.@Nullable DeadLetterHandler deadLetterHandler() {
        return options.deadLetters();
    }

    /**
     * Runs the code of the handler on the calling thread.
     *
     * @param payload the decoded payload, ignored without a {@link #payloadType()}; a {@link HandlerBatch} for a batch handler
     * @param envelope the event, the first one of a batch
     * @param context the attempt
     * @throws Exception if the attempt failed
     */
    public void handle(Object payload, EventEnvelope envelope, EventContext context) throws Exception {
        handler.handle(payload, envelope, context);
    }

    @Override
    public String toString() {
        return id + (payloadType == null ? "" : " of " + payloadType.getName()) + " " + new TreeSet<>(eventTypes);
    }
}
