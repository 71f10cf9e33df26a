package dev.outbox.sample.push.webpush;

import dev.outbox.sample.http.GatewayTimeouts;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
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
        key("public-key", publicKey, P256::publicKey);
        key("private-key", privateKey, P256::privateKey);
        requireSubject(subject);
        services = List.copyOf(services);
        if (timeToLive.isNegative()) {
            throw new IllegalArgumentException("push.web-push.time-to-live must not be negative: " + timeToLive);
        }
    }

    ECPublicKey vapidPublicKey() {
        return key("public-key", publicKey, P256::publicKey);
    }

    ECPrivateKey vapidPrivateKey() {
        return key("private-key", privateKey, P256::privateKey);
    }

    private static <K> K key(String name, @Nullable String key, Function<byte[], K> read) {
        if (key == null || key.isBlank()) {
            throw new IllegalArgumentException("push.web-push." + name + " is required: a VAPID key in base64url");
        }
        try {
            return read.apply(Base64.getUrlDecoder().decode(key));
        } catch (IllegalArgumentException ex) {
            throw new IllegalArgumentException("push.web-push." + name + " is not a VAPID key in base64url");
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
