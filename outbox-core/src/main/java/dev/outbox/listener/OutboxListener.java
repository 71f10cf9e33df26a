package dev.outbox.listener;

import java.time.Duration;

/**
 * Hears what happens to events, for meters. Called on the thread on which it happens, so an implementation must be quick; what
 * it throws is logged and ignored.
 */
public interface OutboxListener {

    /** Hears nothing. */
    OutboxListener NONE = new OutboxListener() {};

    /** What came of one attempt of a handler, as the {@code result} tag of a meter. */
    enum Result {
        /** The handler returned. */
        SUCCESS,
        /** The handler failed and will be tried again. */
        RETRY,
        /** The handler failed for the last time. */
        DEAD
    }

    /**
     * Events were stored, and their transaction has committed.
     *
     * @param stream their stream
     * @param events how many
     */
    default void published(String stream, int events) {}

    /**
     * An event was completed that no handler in any process wants.
     *
     * @param stream the event's stream
     */
    default void unrouted(String stream) {}

    /**
     * A handler was invoked, or was not because the payload was undecodable or the event processed before.
     *
     * @param attempt what was attempted
     * @param result what came of it
     * @param duration how long the handler ran
     */
    default void handled(Attempt attempt, Result result, Duration duration) {}

    /**
     * A deduplicating handler was not invoked, because it has processed the event before. The attempt counts as a success.
     *
     * @param stream the event's stream
     * @param handlerId the handler
     */
    default void deduplicated(String stream, String handlerId) {}

    /**
     * Deliveries were added because somebody asked for a replay.
     *
     * @param stream the stream of their events
     * @param handlerId the handler
     * @param deliveries how many
     */
    default void replayed(String stream, String handlerId, int deliveries) {}

    /**
     * A handler has failed for several aggregates in a row, and rests until one event succeeds.
     *
     * @param stream the stream of the event that failed last
     * @param handlerId the handler
     */
    default void circuitOpened(String stream, String handlerId) {}

    /**
     * A handler succeeded.
     *
     * @param stream the event's stream
     * @param lag from the event's {@code occurredAt} to now
     */
    default void delivered(String stream, Duration lag) {}

    /**
     * An event is done: all handlers have succeeded, or at least one is dead and none is left to try.
     *
     * @param stream the event's stream
     * @param retries how many passes had failed
     */
    default void completed(String stream, int retries) {}

    /**
     * A batch was claimed, possibly an empty one.
     *
     * @param stream the stream
     * @param duration how long the claim took
     * @param events how many events it brought
     */
    default void claimed(String stream, Duration duration, int events) {}

    /**
     * Outcomes were written.
     *
     * @param stream the stream
     * @param duration how long it took
     * @param events how many events
     */
    default void settled(String stream, Duration duration, int events) {}

    /**
     * A worker found its lease lost and wrote nothing.
     *
     * @param stream the stream
     */
    default void leaseLost(String stream) {}

    /**
     * One invocation of a handler.
     *
     * @param stream the event's stream
     * @param eventType the event's type
     * @param handlerId the handler
     */
    record Attempt(String stream, String eventType, String handlerId) {}
}
