package dev.outbox.sample.licensing;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of license expiry.
 *
 * @param grace How long a license outlives its period. Longer than the retries of a payment, which end with {@code PaymentFailedFinal}.
 */
@ConfigurationProperties("licensing")
record LicensingSettings(Duration grace) {

    LicensingSettings {
        if (grace.isNegative()) {
            throw new IllegalArgumentException("licensing.grace must not be negative: " + grace);
        }
    }
}
