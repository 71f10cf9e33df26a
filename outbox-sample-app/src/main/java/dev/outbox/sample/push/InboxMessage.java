package dev.outbox.sample.push;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Message in a user's inbox with the status of its push: {@code PENDING}, {@code SENT} or {@code FAILED}. */
record InboxMessage(
        UUID id,
        String userId,
        String title,
        String body,
        String status,
        @Nullable String failure,
        int attempts,
        Instant createdAt) {}
