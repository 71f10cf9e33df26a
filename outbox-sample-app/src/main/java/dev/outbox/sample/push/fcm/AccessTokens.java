package dev.outbox.sample.push.fcm;

import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.http.Answer;
import dev.outbox.sample.http.GatewayClient;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** OAuth 2 access tokens of a service account, by the JWT bearer grant (RFC 7523). A token is used until shortly before it expires. */
final class AccessTokens {

    private static final String SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
    private static final String GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    private static final Duration ASSERTION_LIFETIME = Duration.ofHours(1);
    private static final Duration REFUSAL_DELAY = Duration.ofMinutes(1);
    private static final Duration MARGIN = Duration.ofMinutes(1);
    private static final Base64.Encoder BASE64URL = Base64.getUrlEncoder().withoutPadding();

    private final ServiceAccount account;
    private final GatewayClient http;
    private final JsonMapper json;
    private final Clock clock;
    private @Nullable Token current;

    AccessTokens(ServiceAccount account, GatewayClient http, JsonMapper json, Clock clock) {
        this.account = account;
        this.http = http;
        this.json = json;
        this.clock = clock;
    }

    /** Returns a valid token. Threads that need a new one wait for one request. */
    synchronized String get() {
        Token token = current;
        if (token == null || !clock.instant().isBefore(token.renewAt())) {
            token = request();
            current = token;
        }
        return token.value();
    }

    /** Discards a token that was refused, unless another thread has renewed it already. */
    synchronized void discard(String refused) {
        if (current != null && current.value().equals(refused)) {
            current = null;
        }
    }

    private Token request() {
        HttpHeaders headers = new HttpHeaders();
        headers.setContentType(MediaType.APPLICATION_FORM_URLENCODED);
        String form = "grant_type=" + GRANT.replace(":", "%3A") + "&assertion=" + assertion();
        Answer answer = http.post(account.tokenUri(), headers, form.getBytes(StandardCharsets.US_ASCII));
        if (!answer.isSuccess()) {
            throw refused(answer, answer.json().path("error").asString("") + " to a request for an access token");
        }
        JsonNode body = answer.json();
        String value = body.path("access_token").asString("");
        if (value.isEmpty()) {
            throw new IllegalStateException("the token endpoint answered without an access token");
        }
        Duration lifetime = Duration.ofSeconds(body.path("expires_in").asLong(0));
        return new Token(value, answer.receivedAt().plus(lifetime).minus(MARGIN));
    }

    /** A refusal concerns the key or the clock of this service, not the message: it must not fail for good. */
    private static RuntimeException refused(Answer answer, String detail) {
        RuntimeException failure = answer.failure(detail);
        return failure instanceof NonRetryableException
                ? new RetryAfterException(REFUSAL_DELAY, String.valueOf(failure.getMessage()), failure)
                : failure;
    }

    private String assertion() {
        Instant now = clock.instant();
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("iss", account.clientEmail());
        claims.put("scope", SCOPE);
        claims.put("aud", account.tokenUri().toString());
        claims.put("iat", now.getEpochSecond());
        claims.put("exp", now.plus(ASSERTION_LIFETIME).getEpochSecond());
        String content = encode(Map.of("alg", "RS256", "typ", "JWT", "kid", account.keyId())) + "." + encode(claims);
        return content + "." + BASE64URL.encodeToString(sign(content));
    }

    private String encode(Map<String, ?> part) {
        return BASE64URL.encodeToString(json.writeValueAsBytes(part));
    }

    private byte[] sign(String content) {
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(account.key());
            signature.update(content.getBytes(StandardCharsets.US_ASCII));
            return signature.sign();
        } catch (GeneralSecurityException ex) {
            throw new IllegalStateException("the key of " + account + " cannot sign", ex);
        }
    }

    private record Token(String value, Instant renewAt) {

        @Override
        public String toString() {
            return "Token[renewAt=" + renewAt + "]";
        }
    }
}
