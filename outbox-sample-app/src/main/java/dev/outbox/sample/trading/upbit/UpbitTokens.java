package dev.outbox.sample.trading.upbit;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.json.JsonMapper;

/** Tokens that authorize one request each: JWTs with HMAC-SHA256 over a nonce and the SHA-512 hash of the parameters. */
final class UpbitTokens {

    private static final String ALGORITHM = "HmacSHA256";
    private static final Base64.Encoder BASE64URL = Base64.getUrlEncoder().withoutPadding();

    private final String accessKey;
    private final SecretKeySpec secretKey;

    UpbitTokens(String accessKey, String secretKey) {
        this.accessKey = accessKey;
        this.secretKey = new SecretKeySpec(secretKey.getBytes(StandardCharsets.UTF_8), ALGORITHM);
    }

    /** Returns a token for a request with these parameters, in the form of a query that is not encoded. */
    String of(String query) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-512").digest(query.getBytes(StandardCharsets.UTF_8));
            String content = encode(Map.of("alg", "HS256", "typ", "JWT"))
                    + "."
                    + encode(Map.of(
                            "access_key",
                            accessKey,
                            "nonce",
                            UUID.randomUUID().toString(),
                            "query_hash",
                            HexFormat.of().formatHex(hash),
                            "query_hash_alg",
                            "SHA512"));
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secretKey);
            return content + "." + BASE64URL.encodeToString(mac.doFinal(content.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException ex) {
            throw new IllegalStateException("no SHA-512 or " + ALGORITHM + " in this JVM", ex);
        }
    }

    private static String encode(Map<String, String> part) {
        return BASE64URL.encodeToString(JsonMapper.shared().writeValueAsBytes(part));
    }
}
