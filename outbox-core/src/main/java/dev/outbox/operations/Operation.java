package dev.outbox.operations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Something that an operator did, as it was recorded together with what it changed.
 *
 * @param id the place in the record
 * @param performedAt when it was done, by the clock of the database
 * @param performedBy who did it
 * @param action what was done, such as {@code RETRY} or {@code SKIP}
 * @param reason why it was done
 * @param subject what it was done to
 */
public record Operation(
        long id, Instant performedAt, String performedBy, String action, String reason, Subject subject) {

    /**
     * What something was done to; what does not apply is {@code null}.
     *
     * @param stream the stream
     * @param handlerId the handler
     * @param eventId the event
     * @param previousStatus where the delivery had stood
     * @param lastFailure what had gone wrong with it
     */
    public record Subject(
            @Nullable String stream,
            @Nullable String handlerId,
            @Nullable UUID eventId,
            @Nullable DeliveryStatus previousStatus,
            Delivery.@Nullable Failure lastFailure) {}
}
