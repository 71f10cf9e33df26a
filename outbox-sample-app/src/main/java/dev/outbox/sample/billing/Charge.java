package dev.outbox.sample.billing;

import java.util.UUID;

/**
 * Attempt to charge a billing key for one period of a subscription. A repeated charge keeps its id, its billing key and its plan, even if the
 * subscription has changed.
 *
 * @param id the idempotency key at the bank
 * @param subscriptionId the subscription
 * @param billingKeyId the billing key to charge
 * @param planCode the plan that the charge pays for
 */
public record Charge(UUID id, UUID subscriptionId, UUID billingKeyId, String planCode) {}
