package dev.outbox.sample.identity;

import java.time.Instant;
import java.util.UUID;

/** A user who is signed in. */
record Session(UUID id, UUID userId, Instant createdAt) {}
