package dev.outbox.sample.billing;

import java.time.Instant;
import java.util.UUID;

/** A plan that a guild pays for. */
record Subscription(UUID id, String guildId, String planCode, String status, Instant startedAt) {}
