package dev.outbox.sample.adapters.fcm;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.http.Answer;
import dev.outbox.sample.http.GatewayClient;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import tools.jackson.databind.JsonNode;

/** OAuth 2 access tokens of a service account, by the JWT bearer grant (RFC 7523). A token is used until shortly before it expires. */
final class AccessTokens {

    private static final String SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
    private static final String GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    private static final Duration ASSERTION_LIFETIME = Duration.ofHours(1);
    private static final Duration REFUSAL_DELAY = Duration.ofMinutes(1);
    private static final Duration MARGIN = Duration.ofMinutes(1);

    private final ServiceAccount account;
    private final GatewayClient http;
    private final Clock clock;
    private @Nullable Token current;

    AccessTokens(ServiceAccount account, GatewayClient http, Clock clock) {
        this.account = account;
        this.http = http;
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
        JWTClaimsSet claims = new JWTClaimsSet.Builder()
                .issuer(account.clientEmail())
                .claim("scope", SCOPE)
                .audience(account.tokenUri().toString())
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plus(ASSERTION_LIFETIME)))
                .build();
        SignedJWT assertion = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(account.keyId()).build(), claims);
        try {
            assertion.sign(new RSASSASigner(account.key()));
        } catch (JOSEException ex) {
            throw new IllegalStateException("the key of " + account + " cannot sign", ex);
        }
        return assertion.serialize();
    }

    private record Token(String value, Instant renewAt) {

        @Override
        public String toString() {
            return "Token[renewAt=" + renewAt + "]";
        }
    }
}
