package dev.outbox.sample.adapters.upbit;

import dev.outbox.sample.http.GatewayTimeouts;
import jakarta.validation.constraints.NotBlank;
import java.net.URI;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of Upbit.
 *
 * @param accessKey Access key of the account. Required.
 * @param secretKey Secret key of the account. Required.
 * @param baseUrl Address of the API.
 * @param timeouts Limits of a call.
 */
@Validated
@ConditionalOnProperty(name = "trading.exchange", havingValue = "upbit")
@ConfigurationProperties("trading.upbit")
record UpbitSettings(
        @NotBlank String accessKey,
        @NotBlank String secretKey,
        @DefaultValue("https://api.upbit.com") URI baseUrl,
        @DefaultValue GatewayTimeouts timeouts) {

    /** Omits the keys. */
    @Override
    public String toString() {
        return "UpbitSettings[baseUrl=" + baseUrl + "]";
    }
}
