package dev.outbox.sample.push;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Device of a user, with what the configured gateway needs to reach it.
 *
 * @param userId the user
 * @param token the registration token of FCM
 * @param subscription the subscription of Web Push
 */
public record Device(
        String userId, @Nullable String token, @Nullable Subscription subscription) {

    /** Omits the address, because it is a secret: with the token or the endpoint, others can try to send to the device. */
    @Override
    public String toString() {
        return "Device[userId=" + userId + "]";
    }

    /**
     * Subscription as a browser returns it.
     *
     * @param endpoint where the push service takes messages
     * @param p256dh the browser's public key, in base64url
     * @param auth the authentication secret, in base64url
     */
    public record Subscription(URI endpoint, String p256dh, String auth) {

        @Override
        public String toString() {
            return "Subscription[host=" + endpoint.getHost() + "]";
        }
    }
}
