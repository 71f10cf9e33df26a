package dev.outbox.sample.notification;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Message about an event, with its state: requested, sent or failed. A failed one has no recipient and no message if the event named no
 * recipient or was unreadable.
 */
record Notification(
        UUID eventId,
        @Nullable String recipient,
        @Nullable String message,
        String state,
        @Nullable String failure,
        Instant requestedAt,
        @Nullable Instant sentAt) {}
