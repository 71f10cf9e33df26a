package dev.outbox.sample.adapters.toss;

import dev.outbox.sample.http.GatewayTimeouts;
import jakarta.validation.constraints.NotBlank;
import java.net.URI;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of Toss Payments.
 *
 * @param secretKey Secret key of the merchant. Required.
 * @param baseUrl Address of the API.
 * @param timeouts Limits of a call.
 */
@Validated
@ConditionalOnProperty(name = "sample.billing.bank", havingValue = "toss")
@ConfigurationProperties("sample.billing.toss")
record TossSettings(
        @NotBlank String secretKey,
        @DefaultValue("https://api.tosspayments.com") URI baseUrl,
        @DefaultValue GatewayTimeouts timeouts) {

    /** Omits the secret key. */
    @Override
    public String toString() {
        return "TossSettings[baseUrl=" + baseUrl + "]";
    }
}
