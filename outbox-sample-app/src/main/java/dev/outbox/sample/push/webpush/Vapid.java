package dev.outbox.sample.push.webpush;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Identifies this service to push services (VAPID, RFC 8292), with a JWT signed by ES256. */
final class Vapid {

    /** The RFC allows a day. */
    private static final Duration LIFETIME = Duration.ofHours(12);

    private static final Base64.Encoder BASE64URL = Base64.getUrlEncoder().withoutPadding();

    private final ECPublicKey publicKey;
    private final ECPrivateKey privateKey;
    private final String subject;
    private final JsonMapper json;
    private final Clock clock;

    /** Refuses keys that are not a pair, because push services would refuse every message. */
    Vapid(ECPublicKey publicKey, ECPrivateKey privateKey, String subject, JsonMapper json, Clock clock) {
        this.publicKey = publicKey;
        this.privateKey = privateKey;
        this.subject = subject;
        this.json = json;
        this.clock = clock;
        requirePair();
    }

    /** Returns the header {@code Authorization} for an endpoint. */
    String authorization(URI endpoint) {
        String header = encode(Map.of("typ", "JWT", "alg", "ES256"));
        String claims = encode(Map.<String, Object>of(
                "aud", origin(endpoint),
                "exp", clock.instant().plus(LIFETIME).getEpochSecond(),
                "sub", subject));
        String content = header + "." + claims;
        return "vapid t=%s.%s, k=%s"
                .formatted(
                        content,
                        BASE64URL.encodeToString(sign(content)),
                        BASE64URL.encodeToString(P256.encode(publicKey)));
    }

    private static String origin(URI endpoint) {
        return endpoint.getScheme() + "://" + endpoint.getRawAuthority();
    }

    private String encode(Map<String, ?> part) {
        return BASE64URL.encodeToString(json.writeValueAsBytes(part));
    }

    private byte[] sign(String content) {
        try {
            Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(privateKey);
            signature.update(content.getBytes(StandardCharsets.US_ASCII));
            return signature.sign();
        } catch (GeneralSecurityException ex) {
            throw new IllegalStateException("the private key of VAPID cannot sign", ex);
        }
    }

    private void requirePair() {
        try {
            Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initVerify(publicKey);
            signature.update("pair".getBytes(StandardCharsets.US_ASCII));
            if (!signature.verify(sign("pair"))) {
                throw new IllegalArgumentException(
                        "push.web-push.public-key does not belong to push.web-push.private-key");
            }
        } catch (GeneralSecurityException ex) {
            throw new IllegalStateException("the keys of VAPID cannot be checked", ex);
        }
    }
}
