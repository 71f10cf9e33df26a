package dev.outbox.sample.identity;

import java.time.Instant;
import java.util.UUID;

/** Somebody who has signed up. */
record User(UUID id, String discordUserId, Instant registeredAt) {}
