package dev.outbox.operations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Event that is scheduled.
 *
 * @param eventId its id, which it keeps
 * @param stream its stream
 * @param aggregateType its aggregate type
 * @param aggregateId its aggregate id
 * @param key its key, or {@code null}
 * @param eventType its event type
 * @param dueAt when it takes its place in the order of its aggregate; the time of the next attempt if it was refused
 * @param refusal why PostgreSQL refused to store it in the queue when it was due, or {@code null}
 */
public record ScheduledEvent(
        UUID eventId,
        String stream,
        String aggregateType,
        String aggregateId,
        @Nullable String key,
        String eventType,
        Instant dueAt,
        @Nullable String refusal) {}
