package dev.outbox.sample.identity;

import java.time.Instant;
import java.util.UUID;

/** User who has signed up. */
record User(UUID id, String discordUserId, Instant registeredAt) {}
