package dev.outbox;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A handler: its id, its event types, the class of the decoded payload, and the code to run. {@link OutboxHandler} methods are converted to
 * definitions; a bean of this type registers a handler without the annotation. Immutable.
 */
public final class HandlerDefinition {

    /** Subscribes to every event type, except those of the library itself, which begin with {@code outbox.}. */
    public static final String ALL_EVENT_TYPES = "*";

    private final String id;
    private final Set<String> eventTypes;
    private final @Nullable Class<?> payloadType;
    private ContextHandler<Object> handler;
    private boolean deduplicates;
    private OnDead onDead = OnDead.CONTINUE;
    private List<String> aliases = List.of();
    private @Nullable DeadLetterHandler deadLetters;
    private boolean batch;
    private @Nullable Integer batchSize;
    private @Nullable CircuitBreaker circuit;
    private @Nullable Duration timeout;
    private @Nullable Integer maxAttempts;
    private Set<String> aggregateTypes = Set.of();
    private Set<String> streams = Set.of();
    private Source source = Source.ANY;

    private HandlerDefinition(
            String id, Set<String> eventTypes, @Nullable Class<?> payloadType, ContextHandler<Object> handler) {
        this.id = id;
        this.eventTypes = Set.copyOf(eventTypes);
        this.payloadType = payloadType;
        this.handler = handler;
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
        return new HandlerDefinition(id, eventTypes, payloadType, (ContextHandler<Object>) handler);
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
    @SuppressWarnings("unchecked") // dispatch passes instances of payloadType
    public static <T> HandlerDefinition ofBatch(
            String id, Set<String> eventTypes, @Nullable Class<T> payloadType, BatchHandler<T> handler) {
        ContextHandler<Object> unpacking = (payload, envelope, context) -> {
            BatchHandler.Batch batch = (BatchHandler.Batch) payload;
            handler.handle((List<T>) batch.payloads(), batch.events(), batch.outcome(), context);
        };
        return new HandlerDefinition(id, eventTypes, payloadType, unpacking).copy((copy) -> copy.batch = true);
    }

    /** {@return the same handler with {@linkplain OutboxHandler#deduplicate() deduplication}} */
    public HandlerDefinition deduplicating() {
        return copy((copy) -> copy.deduplicates = true);
    }

    /**
     * Returns the same handler with a policy for dead deliveries.
     *
     * @param onDead the policy for later events of the same aggregate; see {@link OutboxHandler#onDead()}
     * @return a changed copy
     */
    public HandlerDefinition onDead(OnDead onDead) {
        return copy((copy) -> copy.onDead = onDead);
    }

    /**
     * Returns the same handler with former ids; see {@link OutboxHandler#aliases()}.
     *
     * @param aliases the former ids
     * @return a changed copy
     */
    public HandlerDefinition aliases(String... aliases) {
        return copy((copy) -> copy.aliases = List.of(aliases));
    }

    /**
     * Returns the same handler with code for its dead letters; see {@link OutboxDeadLetter}.
     *
     * @param deadLetters the code to run for each dead letter
     * @return a changed copy
     */
    public HandlerDefinition onDeadLetter(DeadLetterHandler deadLetters) {
        return copy((copy) -> copy.deadLetters = deadLetters);
    }

    /**
     * Returns the same handler with a maximum size of its batches.
     *
     * @param batchSize the maximum number of events, at least 1
     * @return a changed copy
     * @throws IllegalArgumentException if the size is below 1
     */
    public HandlerDefinition batchSize(int batchSize) {
        if (batchSize < 1) {
            throw new IllegalArgumentException("batchSize must be at least 1: " + batchSize);
        }
        return copy((copy) -> {
            copy.batch = true;
            copy.batchSize = batchSize;
        });
    }

    /**
     * Returns the same handler with a circuit breaker.
     *
     * @param circuit the circuit breaker, unless the configuration sets another
     * @return a changed copy
     */
    public HandlerDefinition circuit(CircuitBreaker circuit) {
        return copy((copy) -> copy.circuit = circuit);
    }

    /**
     * Returns the same handler with a timeout; see {@link OutboxHandler#timeout()}.
     *
     * @param timeout the timeout, unless the configuration sets another for this handler; positive
     * @return a changed copy
     * @throws IllegalArgumentException if the timeout is not positive
     */
    public HandlerDefinition timeout(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout must be positive: " + timeout);
        }
        return copy((copy) -> copy.timeout = timeout);
    }

    /**
     * Returns the same handler with a number of attempts; see {@link OutboxHandler#maxAttempts()}.
     *
     * @param maxAttempts the number of attempts, unless the configuration sets another for this handler; at least 1
     * @return a changed copy
     * @throws IllegalArgumentException if the number is below 1
     */
    public HandlerDefinition maxAttempts(int maxAttempts) {
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts must be at least 1: " + maxAttempts);
        }
        return copy((copy) -> copy.maxAttempts = maxAttempts);
    }

    /**
     * Returns the same handler for events of some aggregate types only.
     *
     * @param aggregateTypes the aggregate types, or none for all
     * @return a changed copy
     */
    public HandlerDefinition ofAggregateTypes(String... aggregateTypes) {
        return copy((copy) -> copy.aggregateTypes = Set.of(aggregateTypes));
    }

    /**
     * Returns the same handler for events of some streams only.
     *
     * @param streams the streams, or none for all
     * @return a changed copy
     */
    public HandlerDefinition inStreams(String... streams) {
        return copy((copy) -> copy.streams = Set.of(streams));
    }

    /**
     * Returns the same handler for events of this service only, or for those that it has received from others.
     *
     * @param source who published the events
     * @return a changed copy
     */
    public HandlerDefinition received(Source source) {
        return copy((copy) -> copy.source = source);
    }

    private HandlerDefinition copy(Consumer<HandlerDefinition> change) {
        HandlerDefinition copy = new HandlerDefinition(id, eventTypes, payloadType, handler);
        copy.deduplicates = deduplicates;
        copy.onDead = onDead;
        copy.aliases = aliases;
        copy.deadLetters = deadLetters;
        copy.batch = batch;
        copy.batchSize = batchSize;
        copy.circuit = circuit;
        copy.timeout = timeout;
        copy.maxAttempts = maxAttempts;
        copy.aggregateTypes = aggregateTypes;
        copy.streams = streams;
        copy.source = source;
        change.accept(copy);
        return copy;
    }

    /**
     * Returns the same handler with decorated code. The payload of a batch handler is a {@link BatchHandler.Batch}.
     *
     * @param decorator wraps the code of the handler, and decides whether and when it runs
     * @return a changed copy
     */
    public HandlerDefinition decorated(UnaryOperator<ContextHandler<Object>> decorator) {
        return copy((copy) -> copy.handler = decorator.apply(handler));
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
        return deduplicates;
    }

    /** {@return the policy for later events of the same aggregate after a dead delivery} */
    public OnDead onDead() {
        return onDead;
    }

    /** {@return the former ids} */
    public List<String> aliases() {
        return aliases;
    }

    /** {@return whether the handler takes many events at a time} */
    public boolean isBatch() {
        return batch;
    }

    /** {@return the maximum size of its batches, or {@code null} for all events that are claimed together} */
    public @Nullable Integer batchSize() {
        return batchSize;
    }

    /** {@return the circuit breaker, or {@code null} if the handler has none of its own} */
    public @Nullable CircuitBreaker circuit() {
        return circuit;
    }

    /** {@return the timeout, or {@code null} if the handler has none of its own} */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** {@return the number of failed attempts after which a delivery is dead, or {@code null} if the handler has none of its own} */
    public @Nullable Integer maxAttempts() {
        return maxAttempts;
    }

    /** {@return the aggregate types whose events the handler takes; empty for all} */
    public Set<String> aggregateTypes() {
        return aggregateTypes;
    }

    /** {@return the streams whose events the handler takes; empty for all} */
    public Set<String> streams() {
        return streams;
    }

    /** {@return who published the events that the handler takes} */
    public Source source() {
        return source;
    }

    /** {@return the code for dead letters, or {@code null} if the handler has none} */
    public @Nullable DeadLetterHandler deadLetterHandler() {
        return deadLetters;
    }

    /**
     * Runs the code of the handler on the calling thread.
     *
     * @param payload the decoded payload, ignored without a {@link #payloadType()}; a {@link BatchHandler.Batch} for a batch handler
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

    /** Code that handles a dead letter in a transaction; an exception rolls it back and repeats the call later. */
    @FunctionalInterface
    public interface DeadLetterHandler {
        void handle(DeadLetter deadLetter) throws Exception;
    }

    /** Who published the events that a handler takes. */
    public enum Source {
        /** Any service. */
        ANY,
        /** This service. */
        OWN,
        /** Another service: the events have an {@linkplain OutboxEvent#withOrigin origin}. */
        RECEIVED
    }
}
