package dev.outbox.sample.adapters.fcm;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import com.github.tomakehurst.wiremock.stubbing.Scenario;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import dev.outbox.sample.http.GatewayClient;
import dev.outbox.sample.http.GatewayTimeouts;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.interfaces.RSAPublicKey;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import tools.jackson.databind.json.JsonMapper;

/** Server that speaks the protocols of FCM and of its token endpoint, and a service account for it. */
final class FakeFcm extends WireMockExtension {

    static final JsonMapper JSON = JsonMapper.shared();
    private static final String MESSAGES = "/v1/projects/umbra/messages:send";
    private static final KeyPair KEYS = keys();

    FakeFcm() {
        super(newInstance().options(wireMockConfig().dynamicPort().http2PlainDisabled(true)));
    }

    FcmGateway gateway(Clock clock) {
        ServiceAccount account = ServiceAccount.read(keyFile(), JSON);
        GatewayTimeouts timeouts = new GatewayTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(30));
        GatewayClient http = new GatewayClient("FCM", timeouts, clock);
        return new FcmGateway(URI.create(baseUrl() + MESSAGES), new AccessTokens(account, http, clock), http, JSON);
    }

    /** The file that the console offers, with an address of this server. */
    Resource keyFile() {
        String pem = "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'})
                        .encodeToString(KEYS.getPrivate().getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
        String file = JSON.writeValueAsString(Map.of(
                "type", "service_account",
                "project_id", "umbra",
                "private_key_id", "key-1",
                "private_key", pem,
                "client_email", "push@umbra.example.net",
                "token_uri", baseUrl() + "/token"));
        return new ByteArrayResource(file.getBytes(StandardCharsets.UTF_8));
    }

    RSAPublicKey publicKey() {
        return (RSAPublicKey) KEYS.getPublic();
    }

    /** Answers a first request for a token with {@code token-1}, and each further one with {@code token-2}. */
    void grantTokens() {
        stubFor(post(urlEqualTo("/token"))
                .inScenario("tokens")
                .whenScenarioStateIs(Scenario.STARTED)
                .willSetStateTo("granted")
                .willReturn(token("token-1")));
        stubFor(post(urlEqualTo("/token"))
                .inScenario("tokens")
                .whenScenarioStateIs("granted")
                .willReturn(token("token-2")));
    }

    void answerTokenRequest(ResponseDefinitionBuilder answer) {
        stubFor(post(urlEqualTo("/token")).willReturn(answer));
    }

    void answerMessage(ResponseDefinitionBuilder answer) {
        stubFor(post(urlEqualTo(MESSAGES)).willReturn(answer));
    }

    /** An error as FCM describes it, with the code of the detail if there is one. */
    static ResponseDefinitionBuilder error(int status, String code) {
        String details = code.isEmpty()
                ? ""
                : "{\"@type\": \"type.googleapis.com/google.firebase.fcm.v1.FcmError\", \"errorCode\": \"%s\"}"
                        .formatted(code);
        return aResponse()
                .withStatus(status)
                .withHeader("Content-Type", "application/json")
                .withBody("""
                        {"error": {"code": %d, "message": "no", "status": "GENERAL_STATUS", "details": [%s]}}
                        """.formatted(status, details));
    }

    List<LoggedRequest> messages() {
        return findAll(postRequestedFor(urlEqualTo(MESSAGES)));
    }

    List<LoggedRequest> tokenRequests() {
        return findAll(postRequestedFor(urlEqualTo("/token")));
    }

    private static ResponseDefinitionBuilder token(String value) {
        return okJson("{\"access_token\": \"%s\", \"expires_in\": 3599, \"token_type\": \"Bearer\"}".formatted(value));
    }

    private static KeyPair keys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (NoSuchAlgorithmException ex) {
            throw new AssertionError(ex);
        }
    }
}
