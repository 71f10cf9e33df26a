package dev.outbox.sample.adapters.toss;

import dev.outbox.sample.http.GatewayTimeouts;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of Toss Payments.
 *
 * @param secretKey Secret key of the merchant. Required.
 * @param baseUrl Address of the API.
 * @param timeouts Limits of a call.
 */
@ConditionalOnProperty(name = "sample.billing.bank", havingValue = "toss")
@ConfigurationProperties("sample.billing.toss")
record TossSettings(
        @Nullable String secretKey,
        @DefaultValue("https://api.tosspayments.com") URI baseUrl,
        @DefaultValue GatewayTimeouts timeouts) {

    TossSettings {
        if (secretKey == null || secretKey.isBlank()) {
            throw new IllegalArgumentException(
                    "sample.billing.toss.secret-key is missing; sample.billing.bank=toss needs it");
        }
    }

    /** Omits the secret key. */
    @Override
    public String toString() {
        return "TossSettings[baseUrl=" + baseUrl + "]";
    }
}
