package dev.outbox.operations;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is scheduled, for operators. Thread-safe. Each method opens its own transaction, and throws an {@link InvalidOperationException} if
 * an argument is invalid and a {@link org.springframework.dao.DataAccessException} if the database fails. Changes are recorded with
 * operator and reason.
 */
public interface ScheduledEvents {

    /**
     * Finds scheduled events, the next one due first.
     *
     * @param aggregateType their aggregate type, or {@code null} for any
     * @param aggregateId their aggregate id, or {@code null} for any
     * @param limit the most to return, at least 1
     * @return the events, without their content
     */
    List<ScheduledEvent> find(@Nullable String aggregateType, @Nullable String aggregateId, int limit);

    /**
     * Makes an event due at once.
     *
     * @param eventId the event
     * @param by the operator
     * @param reason the reason
     * @return whether it was scheduled for later
     */
    boolean deliverNow(UUID eventId, String by, String reason);

    /**
     * Withdraws an event.
     *
     * @param eventId the event
     * @param by the operator
     * @param reason the reason
     * @return whether it was scheduled, and is never delivered now
     */
    boolean cancel(UUID eventId, String by, String reason);
}
