package dev.outbox.sample.webhook;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.http.GatewayException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Webhooks to a server that confirms, refuses, delays and breaks off. */
class SignedWebhookTest {

    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration SHORT_READ_TIMEOUT = Duration.ofMillis(300);
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-04-13T00:15:00Z"), ZoneOffset.UTC);
    private static final WireMockServer SERVER = new WireMockServer(options().dynamicPort());

    private final UUID id = UUID.randomUUID();

    @BeforeAll
    static void startServer() {
        SERVER.start();
    }

    @AfterAll
    static void stopServer() {
        SERVER.stop();
    }

    @BeforeEach
    void forgetRequests() {
        SERVER.resetAll();
    }

    @Test
    void postsASignedBody() {
        answerWith(aResponse().withStatus(204));

        send();

        LoggedRequest request = SERVER.getAllServeEvents().get(0).getRequest();
        assertThat(request.getBodyAsString()).isEqualTo("{\"text\":\"ready\"}");
        assertThat(request.getHeader("Content-Type")).isEqualTo("application/json");
        assertThat(request.getHeader("Idempotency-Key")).isEqualTo(id.toString());
        assertThat(request.getHeader("webhook-id")).isEqualTo(id.toString());
        assertThat(request.getHeader("webhook-timestamp"))
                .isEqualTo(String.valueOf(CLOCK.instant().getEpochSecond()));
        assertThat(request.getHeader("webhook-signature"))
                .isEqualTo(SigningKey.parse(SECRET)
                        .sign(id.toString(), CLOCK.instant().getEpochSecond(), request.getBody()));
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 409, 410, 422})
    void doesNotRetryARefusedRequest(int status) {
        answerWith(aResponse().withStatus(status).withHeader("Retry-After", "1"));

        assertThatExceptionOfType(NonRetryableException.class)
                .isThrownBy(this::send)
                .withMessage("test.webhook answered %d to message %s", status, id);
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 408, 425, 429, 500, 502, 503})
    void retriesOtherFailures(int status) {
        answerWith(aResponse().withStatus(status).withHeader("Location", SERVER.baseUrl() + "/elsewhere"));

        assertThatExceptionOfType(GatewayException.class)
                .isThrownBy(this::send)
                .withMessage("test.webhook answered %d to message %s", status, id);
        assertThat(SERVER.getAllServeEvents()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            429 | 7
            503 | Mon, 13 Apr 2026 00:15:07 GMT
            """)
    void retriesAtTheTimeThatTheReceiverNames(int status, String retryAfter) {
        answerWith(aResponse().withStatus(status).withHeader("Retry-After", retryAfter));

        assertThatExceptionOfType(RetryAfterException.class)
                .isThrownBy(this::send)
                .satisfies((ex) -> assertThat(ex.delay()).isEqualTo(Duration.ofSeconds(7)));
    }

    @Test
    void retriesAsUsualAfterAnUnreadableRetryAfter() {
        answerWith(aResponse().withStatus(503).withHeader("Retry-After", "soon"));

        assertThatExceptionOfType(GatewayException.class).isThrownBy(this::send);
    }

    @Test
    void retriesAfterATimeout() {
        answerWith(aResponse().withStatus(204).withFixedDelay(5 * (int) SHORT_READ_TIMEOUT.toMillis()));
        SignedWebhook impatient = SignedWebhook.of(
                "test.webhook",
                settings(URI.create(SERVER.baseUrl() + "/hook"), SECRET, SHORT_READ_TIMEOUT),
                new JsonMapper(),
                CLOCK);

        assertThatExceptionOfType(GatewayException.class)
                .isThrownBy(() -> impatient.post(id, Map.of("text", "ready")))
                .withMessage("test.webhook did not answer: HttpTimeoutException")
                .withCauseInstanceOf(HttpTimeoutException.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"CONNECTION_RESET_BY_PEER", "EMPTY_RESPONSE", "RANDOM_DATA_THEN_CLOSE"})
    void retriesAfterABrokenConnection(Fault fault) {
        answerWith(aResponse().withFault(fault));

        assertThatExceptionOfType(GatewayException.class).isThrownBy(this::send);
    }

    @Test
    void retriesARefusedConnection() {
        WireMockServer stopped = new WireMockServer(options().dynamicPort());
        stopped.start();
        URI url = URI.create(stopped.baseUrl() + "/secret-path");
        stopped.stop();

        assertThatExceptionOfType(GatewayException.class)
                .isThrownBy(() -> webhook(url, SECRET).post(id, Map.of()))
                .withMessage("test.webhook did not answer: ConnectException")
                .withCauseInstanceOf(ConnectException.class)
                .satisfies((ex) -> assertThat(ex).hasStackTraceContaining("Connect"))
                .satisfies((ex) -> assertThat(String.valueOf(ex.getCause())).doesNotContain("secret-path"));
    }

    @Test
    void refusesMissingAndMalformedSettings() {
        URI url = URI.create("https://example.com/hook");

        assertThatIllegalStateException()
                .isThrownBy(() -> webhook(null, SECRET))
                .withMessage("test.webhook.url is missing; set it to the URL of the receiver");
        assertThatIllegalStateException()
                .isThrownBy(() -> webhook(URI.create("/hook"), SECRET))
                .withMessage("test.webhook.url must be an absolute http or https URL");
        assertThatIllegalStateException()
                .isThrownBy(() -> webhook(url, null))
                .withMessage("test.webhook.secret is missing; set it to the signing key of the receiver");
        assertThatIllegalStateException()
                .isThrownBy(() -> webhook(url, "hunter2!"))
                .withMessage("test.webhook.secret must be 'whsec_' and base64");
    }

    @Test
    void settingsShowNeitherSecretNorUrl() {
        assertThat(settings(URI.create("https://example.com/token"), SECRET, READ_TIMEOUT)
                        .toString())
                .doesNotContain(SECRET, "token")
                .contains("readTimeout");
    }

    private void answerWith(ResponseDefinitionBuilder answer) {
        SERVER.stubFor(post(anyUrl()).willReturn(answer));
    }

    private void send() {
        webhook(URI.create(SERVER.baseUrl() + "/hook"), SECRET).post(id, Map.of("text", "ready"));
    }

    private static SignedWebhook webhook(@Nullable URI url, @Nullable String secret) {
        return SignedWebhook.of("test.webhook", settings(url, secret, READ_TIMEOUT), new JsonMapper(), CLOCK);
    }

    private static WebhookSettings settings(@Nullable URI url, @Nullable String secret, Duration readTimeout) {
        return new WebhookSettings(url, secret, Duration.ofSeconds(2), readTimeout);
    }
}
