package dev.outbox.sample.licensing;

import java.time.Instant;
import java.util.UUID;

/** What a guild may use because of a subscription. */
record License(UUID id, UUID subscriptionId, String guildId, String planCode, String status, Instant grantedAt) {}
