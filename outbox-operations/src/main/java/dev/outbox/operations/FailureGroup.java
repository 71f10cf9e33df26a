package dev.outbox.operations;

import java.util.UUID;

/**
 * Deliveries of one handler whose last failure has the same error code. Counts stop at {@link Count#MOST}, and with more
 * than five groups at {@link Count#MOST_OF_EACH} at the earliest.
 *
 * @param handlerId the handler: the id that is stored with the deliveries, which may be a former one
 * @param errorCode the error code
 * @param dead the number of dead letters
 * @param retrying the number of deliveries that are retried
 * @param waiting the number of deliveries that wait behind failed ones of the handler, whatever their error code
 * @param first the oldest event of the group
 */
public record FailureGroup(String handlerId, String errorCode, Count dead, Count retrying, Count waiting, First first) {

    /**
     * Oldest event of a group, and how the handler failed with it first.
     *
     * @param eventId the event
     * @param eventType its type
     * @param aggregateType its aggregate type
     * @param aggregateId its aggregate
     * @param failure the first failure with the error code of the group that is kept
     */
    public record First(
            UUID eventId, String eventType, String aggregateType, String aggregateId, Delivery.FailedAttempt failure) {}
}
