package dev.outbox.sample.adapters.webpush;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import com.interaso.webpush.VapidKeys;
import com.interaso.webpush.WebPush;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.http.GatewayClient;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.http.GatewayTimeouts;
import dev.outbox.sample.push.Device;
import dev.outbox.sample.push.Device.Keys;
import dev.outbox.sample.push.Device.Subscription;
import dev.outbox.sample.push.PushGateway.Result;
import dev.outbox.sample.push.PushMessage;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Sends to a push service that speaks the protocol. */
class WebPushGatewayTest {

    private static final String PATH = "/p/secret-endpoint";
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2030-01-01T12:00:00Z"), ZoneOffset.UTC);
    private static final JsonMapper JSON = JsonMapper.shared();

    @RegisterExtension
    private static final WireMockExtension service = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort().http2PlainDisabled(true))
            .build();

    private final VapidKeys vapidKeys = VapidKeys.generate();
    private final Browser browser = new Browser();
    private final PushMessage message = new PushMessage(UUID.randomUUID(), "Closed", "on Monday ☃");

    @Test
    void browserReadsWhatWasSent() {
        answer(aResponse().withStatus(201));

        assertThat(send()).isEqualTo(Result.ACCEPTED);

        LoggedRequest request = request();
        JsonNode content = JSON.readTree(browser.decrypt(request.getBody()));
        assertThat(content.path("id").asString()).isEqualTo(message.id().toString());
        assertThat(content.path("title").asString()).isEqualTo("Closed");
        assertThat(content.path("body").asString()).isEqualTo("on Monday ☃");
        assertThat(request.getHeader("Content-Encoding")).isEqualTo("aes128gcm");
        assertThat(request.getHeader("TTL")).isEqualTo("86400");
        assertThat(request.getHeader("Topic"))
                .isEqualTo(message.id().toString().replace("-", ""))
                .hasSize(32);
    }

    @Test
    void serviceIsIdentifiedByASignedToken() throws Exception {
        answer(aResponse().withStatus(201));

        send();

        String[] parts = request().getHeader("Authorization").split("[ ,]+");
        assertThat(parts).hasSize(3).startsWith("vapid");
        SignedJWT token = SignedJWT.parse(parts[1].substring("t=".length()));
        assertThat(token.verify(new ECDSAVerifier(vapidKeys.getPublicKey()))).isTrue();
        assertThat(Base64.getUrlDecoder().decode(parts[2].substring("k=".length())))
                .isEqualTo(vapidKeys.getApplicationServerKey());
        JWTClaimsSet claims = token.getJWTClaimsSet();
        assertThat(claims.getAudience()).containsExactly(service.baseUrl());
        assertThat(claims.getSubject()).isEqualTo("mailto:ops@example.net");
        assertThat(claims.getExpirationTime().toInstant())
                .isBetween(Instant.now(), Instant.now().plus(Duration.ofDays(1)));
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 410})
    void endedSubscriptionIsGone(int status) {
        answer(aResponse().withStatus(status));

        assertThat(send()).isEqualTo(Result.DEVICE_GONE);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 413})
    void refusedRequestIsNotRetried(int status) {
        answer(aResponse().withStatus(status).withBody("no"));

        assertThatThrownBy(this::send)
                .isInstanceOf(NonRetryableException.class)
                .hasMessage("the push service answered " + status);
    }

    @ParameterizedTest
    @CsvSource({"429, 120, 120", "503, 7, 7", "'503', 'Tue, 01 Jan 2030 12:00:30 GMT', 30"})
    void overloadedServiceSaysWhenToRetry(int status, String retryAfter, int seconds) {
        answer(aResponse().withStatus(status).withHeader("Retry-After", retryAfter));

        assertThatThrownBy(this::send)
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        (ex) -> assertThat(ex.delay()).isEqualTo(Duration.ofSeconds(seconds)));
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 408, 429, 500, 503})
    void otherFailuresAreRetried(int status) {
        answer(aResponse().withStatus(status).withHeader("Location", "http://localhost:1/"));

        assertThatThrownBy(this::send).isInstanceOf(GatewayException.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"CONNECTION_RESET_BY_PEER", "EMPTY_RESPONSE"})
    void brokenConnectionIsRetried(Fault fault) {
        answer(aResponse().withFault(fault));

        assertThatThrownBy(this::send).isInstanceOf(GatewayException.class);
    }

    @Test
    void missingAnswerIsRetriedAndHidesTheEndpoint() {
        answer(aResponse().withStatus(201).withFixedDelay(10_000));

        Throwable failure = catchThrowable(() -> gateway(Duration.ofMillis(200)).send(message, device()));

        assertThat(failure)
                .isInstanceOf(GatewayException.class)
                .hasMessageStartingWith("the push service did not answer");
        assertThat(failure).hasStackTraceContaining("imeout");
        assertThat(org.assertj.core.util.Throwables.getStackTrace(failure)).doesNotContain(PATH);
    }

    @Test
    void deviceMustHaveASubscriptionOfAKnownService() {
        WebPushGateway gateway = gateway();

        gateway.check(device(URI.create(service.baseUrl() + PATH)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gateway.check(new Device("ann", "token", null)))
                .withMessage("a device needs a subscription of Web Push");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gateway.check(device(URI.create("http://169.254.169.254/latest"))))
                .withMessage("the endpoint does not belong to a known push service");
    }

    @ParameterizedTest
    @CsvSource({
        "%,                                                                                       BTBZMqHH6r4Tts7J_aSIgg",
        "BCVx,                                                                                    BTBZMqHH6r4Tts7J_aSIgg",
        // The last byte of the public key of RFC 8291 is changed: the point is not on the curve.
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw8, BTBZMqHH6r4Tts7J_aSIgg",
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4, BTBZ",
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4, %"
    })
    void deviceMustHaveKeysOfWebPush(String p256dh, String auth) {
        Device device =
                new Device("ann", null, new Subscription(URI.create(service.baseUrl() + PATH), new Keys(p256dh, auth)));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> gateway().check(device))
                .withMessage("p256dh and auth are not the keys of a subscription in base64url");
    }

    /** A longer message would fit into no record of 4096 bytes, which is what a push service must accept. */
    @Test
    void longestMessageFitsIntoFourKilobytes() {
        answer(aResponse().withStatus(201));
        int envelope = JSON.writeValueAsBytes(Map.of("id", message.id(), "title", "", "body", "")).length;
        String longest = "a".repeat(4096 - 86 - 1 - 16 - envelope);

        gateway().send(new PushMessage(message.id(), "", longest), device());

        assertThat(request().getBody()).hasSize(4096);
        assertThatThrownBy(() -> gateway().send(new PushMessage(message.id(), "", longest + "a"), device()))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("at most 3993 bytes");
    }

    @Test
    void deviceOfAnotherGatewayIsNotRetried() {
        assertThatThrownBy(() -> gateway().send(message, new Device("ann", "token", null)))
                .isInstanceOf(NonRetryableException.class);
    }

    @Test
    void addressesAndKeysAreNotPrinted() {
        Device device = device(URI.create(service.baseUrl() + PATH));

        assertThat(device + " " + device.subscription())
                .doesNotContain(PATH)
                .doesNotContain(device.subscription().keys().auth())
                .contains("ann");
    }

    private Result send() {
        return gateway().send(message, device());
    }

    private Device device() {
        return device(URI.create(service.baseUrl() + PATH));
    }

    private Device device(URI endpoint) {
        return new Device("ann", null, browser.subscription(endpoint));
    }

    private WebPushGateway gateway() {
        return gateway(Duration.ofSeconds(30));
    }

    private WebPushGateway gateway(Duration readTimeout) {
        GatewayTimeouts timeouts = new GatewayTimeouts(Duration.ofSeconds(30), readTimeout);
        return new WebPushGateway(
                new PushServices(List.of(service.baseUrl())),
                new WebPush("mailto:ops@example.net", vapidKeys),
                Duration.ofDays(1),
                new GatewayClient("the push service", timeouts, CLOCK),
                JSON);
    }

    private static void answer(ResponseDefinitionBuilder answer) {
        service.stubFor(post(urlEqualTo(PATH)).willReturn(answer));
    }

    private static LoggedRequest request() {
        return service.findAll(postRequestedFor(urlEqualTo(PATH))).get(0);
    }
}
