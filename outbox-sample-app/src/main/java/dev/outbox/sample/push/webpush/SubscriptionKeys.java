package dev.outbox.sample.push.webpush;

import dev.outbox.sample.push.Device.Subscription;
import java.security.interfaces.ECPublicKey;
import java.util.Base64;

/** Keys of a subscription: the public key of the browser, and the secret that it shares with this service. */
final class SubscriptionKeys {

    private static final int AUTH_LENGTH = 16;

    private final ECPublicKey browser;
    private final byte[] auth;

    /** Reads the keys, or throws an {@link IllegalArgumentException} with a message for the user. */
    SubscriptionKeys(Subscription subscription) {
        try {
            browser = P256.publicKey(Base64.getUrlDecoder().decode(subscription.p256dh()));
        } catch (IllegalArgumentException ex) {
            throw new IllegalArgumentException("p256dh is not a public key of P-256 in base64url", ex);
        }
        try {
            auth = Base64.getUrlDecoder().decode(subscription.auth());
        } catch (IllegalArgumentException ex) {
            throw new IllegalArgumentException("auth is not base64url", ex);
        }
        if (auth.length != AUTH_LENGTH) {
            throw new IllegalArgumentException("auth must have " + AUTH_LENGTH + " bytes");
        }
    }

    ECPublicKey browser() {
        return browser;
    }

    byte[] auth() {
        return auth.clone();
    }
}
