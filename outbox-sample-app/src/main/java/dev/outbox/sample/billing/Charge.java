package dev.outbox.sample.billing;

import java.util.UUID;

/** One attempt to collect the money for a period; its id is the key by which the bank knows an attempt that is repeated. */
record Charge(UUID id, UUID subscriptionId, UUID billingKeyId) {}
