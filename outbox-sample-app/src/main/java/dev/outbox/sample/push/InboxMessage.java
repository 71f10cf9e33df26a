package dev.outbox.sample.push;

import java.time.Instant;
import java.util.UUID;

/** Message in a user's inbox with the status of its push: {@code PENDING}, {@code SENT} or {@code FAILED}. */
record InboxMessage(
        UUID id, String userId, String title, String body, String status, int attempts, Instant createdAt) {}
