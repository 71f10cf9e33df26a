package dev.outbox.sample.adapters.webpush;

import com.interaso.webpush.VapidKeys;
import dev.outbox.sample.http.GatewayTimeouts;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of Web Push.
 *
 * @param publicKey VAPID public key, in base64url. Required.
 * @param privateKey VAPID private key, in base64url. Required.
 * @param subject Contact for push services: a {@code mailto:} or {@code https:} address. Required.
 * @param services Origins of the push services to which this service sends. An origin can begin with {@code https://*.}.
 * @param timeToLive How long a push service keeps a message for a device that is offline.
 * @param timeouts Limits of a call.
 */
@Validated
@ConditionalOnProperty(name = "push.gateway", havingValue = "web-push")
@ConfigurationProperties("push.web-push")
record WebPushSettings(
        @NotBlank String publicKey,
        @NotBlank String privateKey,
        @NotNull @Pattern(regexp = "(mailto:|https://).+") String subject,

        @DefaultValue({
            "https://fcm.googleapis.com",
            "https://updates.push.services.mozilla.com",
            "https://web.push.apple.com",
            "https://*.notify.windows.com"
        })
        List<String> services,

        @DefaultValue("1d") @DurationMin Duration timeToLive,
        @DefaultValue GatewayTimeouts timeouts) {

    /** Leaves out the cause, whose message could contain a part of a key. */
    VapidKeys keys() {
        try {
            return VapidKeys.fromUncompressedBytes(publicKey, privateKey);
        } catch (Exception ex) { // Kotlin throws checked exceptions that it does not declare.
            throw new IllegalArgumentException(
                    "push.web-push.public-key and push.web-push.private-key are not a pair of VAPID keys in base64url");
        }
    }

    @Override
    public String toString() {
        return "WebPushSettings[subject=" + subject + "]";
    }
}
