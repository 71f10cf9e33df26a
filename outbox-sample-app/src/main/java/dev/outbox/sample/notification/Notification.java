package dev.outbox.sample.notification;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Message about an event, with its state: requested, then sent. */
record Notification(
        UUID eventId,
        String recipient,
        String message,
        String state,
        Instant requestedAt,
        @Nullable Instant sentAt) {}
