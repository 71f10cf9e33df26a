package dev.outbox.sample.billing;

import java.util.UUID;

/**
 * Attempt to charge a billing key for one period of a subscription, or for the difference to a higher plan. A repeated charge keeps its id,
 * its billing key, its plan and its amount, even if the subscription has changed.
 *
 * @param id the idempotency key at the bank
 * @param subscriptionId the subscription
 * @param billingKeyId the billing key to charge
 * @param planCode the plan that the charge pays for
 * @param amount what to collect, in the smallest unit of the currency
 * @param currency the ISO 4217 code of the currency
 * @param upgrade whether the charge pays for an upgrade within a period
 */
public record Charge(
        UUID id,
        UUID subscriptionId,
        UUID billingKeyId,
        String planCode,
        long amount,
        String currency,
        boolean upgrade) {}
