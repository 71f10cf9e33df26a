package dev.outbox.sample.adapters.upbit;

import dev.outbox.sample.http.GatewayTimeouts;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of Upbit.
 *
 * @param accessKey Access key of the account. Required.
 * @param secretKey Secret key of the account. Required.
 * @param baseUrl Address of the API.
 * @param timeouts Limits of a call.
 */
@ConditionalOnProperty(name = "trading.exchange", havingValue = "upbit")
@ConfigurationProperties("trading.upbit")
record UpbitSettings(
        @Nullable String accessKey,
        @Nullable String secretKey,
        @DefaultValue("https://api.upbit.com") URI baseUrl,
        @DefaultValue GatewayTimeouts timeouts) {

    UpbitSettings {
        if (accessKey == null || accessKey.isBlank() || secretKey == null || secretKey.isBlank()) {
            throw new IllegalArgumentException("trading.upbit.access-key and trading.upbit.secret-key are needed"
                    + " by trading.exchange=upbit, and one is missing");
        }
    }

    /** Omits the keys. */
    @Override
    public String toString() {
        return "UpbitSettings[baseUrl=" + baseUrl + "]";
    }
}
