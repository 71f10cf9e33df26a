package dev.outbox.sample.billing;

import java.time.Instant;
import java.util.UUID;

/** Permission to charge a user: {@code issued}, later {@code deleted}. */
record BillingKey(UUID id, String userId, String status, Instant issuedAt) {}
