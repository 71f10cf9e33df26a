package dev.outbox.sample.adapters.webpush;

import com.interaso.webpush.VapidKeys;
import dev.outbox.sample.http.GatewayTimeouts;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

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
@ConditionalOnProperty(name = "push.gateway", havingValue = "web-push")
@ConfigurationProperties("push.web-push")
record WebPushSettings(
        String publicKey,
        String privateKey,
        String subject,

        @DefaultValue({
            "https://fcm.googleapis.com",
            "https://updates.push.services.mozilla.com",
            "https://web.push.apple.com",
            "https://*.notify.windows.com"
        })
        List<String> services,

        @DefaultValue("1d") Duration timeToLive,
        @DefaultValue GatewayTimeouts timeouts) {

    WebPushSettings {
        requireKey("public-key", publicKey);
        requireKey("private-key", privateKey);
        keys(publicKey, privateKey);
        requireSubject(subject);
        services = List.copyOf(services);
        if (timeToLive.isNegative()) {
            throw new IllegalArgumentException("push.web-push.time-to-live must not be negative: " + timeToLive);
        }
    }

    VapidKeys keys() {
        return keys(publicKey, privateKey);
    }

    private static void requireKey(String name, @Nullable String key) {
        if (key == null || key.isBlank()) {
            throw new IllegalArgumentException("push.web-push." + name + " is required: a VAPID key in base64url");
        }
    }

    /** Leaves out the cause, whose message could contain a part of a key. */
    private static VapidKeys keys(String publicKey, String privateKey) {
        try {
            return VapidKeys.fromUncompressedBytes(publicKey, privateKey);
        } catch (Exception ex) { // Kotlin throws checked exceptions that it does not declare.
            throw new IllegalArgumentException(
                    "push.web-push.public-key and push.web-push.private-key are not a pair of VAPID keys in base64url");
        }
    }

    private static void requireSubject(@Nullable String subject) {
        if (subject == null || !subject.matches("(mailto:|https://).+")) {
            throw new IllegalArgumentException(
                    "push.web-push.subject must be a mailto: or https: address for push services: " + subject);
        }
    }

    @Override
    public String toString() {
        return "WebPushSettings[subject=" + subject + "]";
    }
}
