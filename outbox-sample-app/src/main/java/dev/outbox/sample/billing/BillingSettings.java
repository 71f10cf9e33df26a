package dev.outbox.sample.billing;

import jakarta.validation.constraints.Positive;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of billing periods and payment retries.
 *
 * @param period Length of a paid period, or {@code null} for a calendar month.
 * @param retryAfter Time to wait after a payment has failed.
 * @param finalFailure Number of the failure in a row that cancels the subscription.
 */
@Validated
@ConfigurationProperties("sample.billing")
record BillingSettings(
        @Nullable @DurationMin(seconds = 1) Duration period,
        @DurationMin Duration retryAfter,
        @Positive int finalFailure) {}
