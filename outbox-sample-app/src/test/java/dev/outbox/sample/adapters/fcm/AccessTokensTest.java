package dev.outbox.sample.adapters.fcm;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.push.Device;
import dev.outbox.sample.push.PushMessage;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.ByteArrayResource;

/** How the gateway gets its access tokens, and how long it uses them. */
class AccessTokensTest {

    private static final Instant START = Instant.parse("2030-01-01T12:00:00Z");

    @RegisterExtension
    private static final FakeFcm fcm = new FakeFcm();

    private final AtomicReference<Instant> now = new AtomicReference<>(START);
    private final Clock clock = ((InstantSource) now::get).withZone(ZoneOffset.UTC);
    private final FcmGateway gateway = fcm.gateway(clock);

    @Test
    void tokenIsRequestedWithASignedAssertion() throws Exception {
        accept();

        send();

        assertThat(fcm.tokenRequests()).hasSize(1);
        String form = fcm.tokenRequests().get(0).getBodyAsString();
        assertThat(form).startsWith("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=");
        SignedJWT assertion = SignedJWT.parse(form.substring(form.lastIndexOf('=') + 1));
        assertThat(assertion.verify(new RSASSAVerifier(fcm.publicKey()))).isTrue();
        assertThat(assertion.getHeader().getAlgorithm()).isEqualTo(JWSAlgorithm.RS256);
        assertThat(assertion.getHeader().getKeyID()).isEqualTo("key-1");
        JWTClaimsSet claims = assertion.getJWTClaimsSet();
        assertThat(claims.getIssuer()).isEqualTo("push@umbra.example.net");
        assertThat(claims.getAudience()).containsExactly(fcm.baseUrl() + "/token");
        assertThat(claims.getIssueTime()).isEqualTo(START);
        assertThat(claims.getExpirationTime()).isEqualTo(START.plus(Duration.ofHours(1)));
    }

    @Test
    void tokenIsUsedUntilShortlyBeforeItExpires() {
        accept();

        send();
        now.set(START.plus(Duration.ofMinutes(58)));
        send();
        assertThat(fcm.tokenRequests()).hasSize(1);
        now.set(START.plus(Duration.ofMinutes(59)));
        send();

        assertThat(fcm.tokenRequests()).hasSize(2);
        assertThat(fcm.messages())
                .extracting((request) -> request.getHeader("Authorization"))
                .containsExactlyInAnyOrder("Bearer token-1", "Bearer token-1", "Bearer token-2");
    }

    @Test
    void refusedTokenIsRenewedOnce() {
        fcm.grantTokens();
        fcm.answerMessage(FakeFcm.error(401, ""));

        assertThatThrownBy(this::send).isInstanceOf(NonRetryableException.class);

        assertThat(fcm.messages())
                .extracting((request) -> request.getHeader("Authorization"))
                .containsExactlyInAnyOrder("Bearer token-1", "Bearer token-2");
    }

    @Test
    void refusedAssertionFailsNoMessageForGood() {
        fcm.answerTokenRequest(aResponse().withStatus(400).withBody("{\"error\": \"invalid_grant\"}"));

        assertThatThrownBy(this::send)
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        (failure) -> assertThat(failure.delay()).isEqualTo(Duration.ofMinutes(1)))
                .hasMessage("FCM answered 400 invalid_grant to a request for an access token");
    }

    @Test
    void unavailableTokenEndpointIsRetried() {
        fcm.answerTokenRequest(aResponse().withStatus(500));

        assertThatThrownBy(this::send).isInstanceOf(GatewayException.class);
    }

    @Test
    void answerWithoutTokenIsAnError() {
        fcm.answerTokenRequest(okJson("{}"));

        assertThatThrownBy(this::send).hasMessage("the token endpoint answered without an access token");
    }

    @ParameterizedTest
    @ValueSource(strings = {"not json", "{}", "{\"project_id\": \"umbra\"}"})
    void incompleteKeyFileIsRefused(String file) {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        ServiceAccount.read(new ByteArrayResource(file.getBytes(StandardCharsets.UTF_8)), FakeFcm.JSON))
                .withMessageStartingWith("push.fcm.service-account");
    }

    @Test
    void unreadableKeyIsRefusedAndNotQuoted() {
        String file = """
                {"project_id": "p", "client_email": "e", "private_key_id": "i", "private_key": "c2VjcmV0", "token_uri": "u"}
                """;

        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        ServiceAccount.read(new ByteArrayResource(file.getBytes(StandardCharsets.UTF_8)), FakeFcm.JSON))
                .withMessageContaining("private_key that is not an RSA key")
                .withMessageNotContaining("c2VjcmV0");
    }

    @Test
    void keyIsNotPrinted() {
        assertThat(ServiceAccount.read(fcm.keyFile(), FakeFcm.JSON))
                .hasToString("ServiceAccount[clientEmail=push@umbra.example.net]");
    }

    private void accept() {
        fcm.grantTokens();
        fcm.answerMessage(okJson("{\"name\": \"projects/umbra/messages/1\"}"));
    }

    private void send() {
        gateway.send(new PushMessage(UUID.randomUUID(), "title", "body"), new Device("ann", "token", null));
    }
}
