package dev.outbox.sample.billing;

import java.util.UUID;

/**
 * Scheduled event: the time after a failed payment is over.
 *
 * @param subscriptionId the subscription
 * @param failures how many payments in a row have failed
 */
record PaymentRetryDue(UUID subscriptionId, int failures) {}
