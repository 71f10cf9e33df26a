package dev.outbox.sample.billing;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of payment retries.
 *
 * @param retryAfter Time to wait after a payment has failed.
 * @param finalFailure Number of the failure in a row that cancels the subscription.
 */
@ConfigurationProperties("sample.billing")
record BillingSettings(Duration retryAfter, int finalFailure) {

    BillingSettings {
        if (retryAfter.isNegative() || finalFailure < 1) {
            throw new IllegalArgumentException("sample.billing.retry-after must not be negative, and sample.billing.final-failure at"
                    + " least 1: " + retryAfter + ", " + finalFailure);
        }
    }
}
