package dev.outbox.sample.billing;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of billing periods and payment retries.
 *
 * @param period Length of a paid period, or {@code null} for a calendar month.
 * @param retryAfter Time to wait after a payment has failed.
 * @param finalFailure Number of the failure in a row that cancels the subscription.
 */
@ConfigurationProperties("sample.billing")
record BillingSettings(@Nullable Duration period, Duration retryAfter, int finalFailure) {

    BillingSettings {
        if (period != null && period.toSeconds() < 1) {
            throw new IllegalArgumentException("sample.billing.period must be at least one second: " + period);
        }
        if (retryAfter.isNegative() || finalFailure < 1) {
            throw new IllegalArgumentException(
                    "sample.billing.retry-after must not be negative, and sample.billing.final-failure at"
                            + " least 1: " + retryAfter + ", " + finalFailure);
        }
    }
}
