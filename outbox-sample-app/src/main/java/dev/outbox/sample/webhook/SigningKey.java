package dev.outbox.sample.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Symmetric key of the Standard Webhooks specification. */
final class SigningKey {

    private static final String PREFIX = "whsec_";
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    private SigningKey(SecretKeySpec key) {
        this.key = key;
    }

    /** Reads a key. The messages of its exceptions do not contain it. */
    static SigningKey parse(String secret) {
        byte[] bytes = decode(secret.startsWith(PREFIX) ? secret.substring(PREFIX.length()) : secret);
        if (bytes.length < 24 || bytes.length > 64) {
            throw new IllegalArgumentException("must have 24 to 64 bytes, but has " + bytes.length);
        }
        return new SigningKey(new SecretKeySpec(bytes, ALGORITHM));
    }

    /** Returns the value of the signature header. */
    String sign(String id, long timestamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException ex) {
            throw new IllegalStateException("no " + ALGORITHM + " in this JVM", ex);
        }
    }

    @Override
    public String toString() {
        return "SigningKey";
    }

    private static byte[] decode(String base64) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException ex) {
            // The cause would quote a character of the key.
            throw new IllegalArgumentException("must be '" + PREFIX + "' and base64");
        }
        return bytes;
    }
}
