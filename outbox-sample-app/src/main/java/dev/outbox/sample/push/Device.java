package dev.outbox.sample.push;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
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
     * Subscription in the form in which browsers serialize it.
     *
     * @param endpoint where the push service takes messages
     * @param keys the keys of the browser
     */
    public record Subscription(
            @NotNull URI endpoint, @NotNull @Valid Keys keys) {

        @Override
        public String toString() {
            return "Subscription[host=" + endpoint.getHost() + "]";
        }
    }

    /**
     * Keys of a browser, in base64url.
     *
     * @param p256dh the public key
     * @param auth the authentication secret
     */
    public record Keys(
            @NotNull @Size(max = 100) String p256dh,
            @NotNull @Size(max = 50) String auth) {

        @Override
        public String toString() {
            return "Keys";
        }
    }
}
