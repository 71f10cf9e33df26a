package dev.outbox.listener;

import java.time.Duration;
import java.util.UUID;

/**
 * Receives notifications of what the outbox does with events, for example to record metrics.
 *
 * <p>The outbox calls a listener on the thread that does the work, so an implementation must return quickly and be thread-safe. Exceptions
 * of a listener are logged at DEBUG level and do not affect the delivery.
 */
public interface OutboxListener {

    /** Listener that ignores every notification. */
    OutboxListener NONE = new OutboxListener() {};

    /** Outcome of one attempt, as the {@code result} tag of the meter {@code outbox.processed}. */
    enum Result {
        /** The handler returned. */
        SUCCESS,
        /** The handler failed, and the delivery will be retried. */
        RETRY,
        /** The handler failed, and the delivery is dead. */
        DEAD
    }

    /**
     * A transaction that stored events has committed.
     *
     * @param stream the stream of the events
     * @param events the number of events
     */
    default void published(String stream, int events) {}

    /**
     * An event was completed without a delivery, because no handler in any process subscribes to its type.
     *
     * @param stream the stream of the event
     */
    default void unrouted(String stream) {}

    /**
     * An attempt ended. Attempts also end without an invocation of the handler, if it cannot read the payload or has already processed the
     * event.
     *
     * @param attempt the attempt
     * @param result the outcome
     * @param duration how long the handler ran
     */
    default void handled(Attempt attempt, Result result, Duration duration) {}

    /**
     * A deduplicating handler was not invoked, because it has already processed the event. The attempt counts as a success.
     *
     * @param stream the stream of the event
     * @param handlerId the handler
     */
    default void deduplicated(String stream, String handlerId) {}

    /**
     * The circuit of a handler opened, because the handler failed for several aggregates in a row. It closes when an event succeeds.
     *
     * @param stream the stream of the event that failed last
     * @param handlerId the handler
     */
    default void circuitOpened(String stream, String handlerId) {}

    /**
     * A handler succeeded.
     *
     * @param stream the stream of the event
     * @param lag the time from the event's {@code occurredAt} to now
     */
    default void delivered(String stream, Duration lag) {}

    /**
     * An event was completed: every handler has succeeded, or every remaining delivery is dead.
     *
     * @param stream the stream of the event
     * @param retries the number of passes in which a handler failed
     */
    default void completed(String stream, int retries) {}

    /**
     * A delivery was skipped, by an operator, a bulk, an erasure or retention, and the transaction has committed: the handler does not get
     * the event any more. Called at most once, in the process that skipped it. If that dies just then, it is not called; the operation log
     * has every skip.
     *
     * @param stream the stream of the event
     * @param handlerId the handler: the id that is stored with the delivery
     * @param eventId the event
     */
    default void skipped(String stream, String handlerId, UUID eventId) {}

    /**
     * A claim ended, possibly without events.
     *
     * @param stream the stream
     * @param duration how long the claim took
     * @param events the number of claimed events
     */
    default void claimed(String stream, Duration duration, int events) {}

    /**
     * A settlement wrote outcomes to the database.
     *
     * @param stream the stream
     * @param duration how long the settlement took
     * @param events the number of settled events
     */
    default void settled(String stream, Duration duration, int events) {}

    /**
     * The last settlement of a batch released its claim, or the leases on its deliveries. A lost claim is not reported here.
     *
     * @param stream the stream
     * @param held the time from the claim to its release
     */
    default void released(String stream, Duration held) {}

    /**
     * A worker lost its lease, and the outcomes that it covered were not written. Called once per batch of first deliveries, and once per
     * delivery of redeliveries.
     *
     * @param stream the stream
     */
    default void leaseLost(String stream) {}

    /**
     * One attempt of a handler on one event.
     *
     * @param stream the stream of the event
     * @param eventType the type of the event
     * @param handlerId the handler
     */
    record Attempt(String stream, String eventType, String handlerId) {}
}
