package dev.outbox.sample.push;

import java.time.Instant;
import java.util.UUID;

/** A message in somebody's inbox. It is there whatever becomes of the push: {@code PENDING}, {@code SENT} or {@code FAILED}. */
record InboxMessage(
        UUID id, String userId, String title, String body, String status, int attempts, Instant createdAt) {}
