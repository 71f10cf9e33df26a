package dev.outbox.sample.billing;

import java.util.UUID;

/** Attempt to charge for a period. Its id is the idempotency key at the bank. */
record Charge(UUID id, UUID subscriptionId, UUID billingKeyId) {}
