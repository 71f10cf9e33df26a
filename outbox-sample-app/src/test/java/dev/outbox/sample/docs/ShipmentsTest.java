package dev.outbox.sample.docs;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.equalToJson;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.docs.Shipments.OrderPlaced;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.client.ResourceAccessException;

/** What the handler of "Call another system over HTTP" makes of each answer. */
class ShipmentsTest {

    @RegisterExtension
    private static final WireMockExtension server = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort().http2PlainDisabled(true))
            .build();

    private final EventEnvelope envelope = new EventEnvelope(
            1, UUID.randomUUID(), "default", "order", "1", 1, "OrderPlaced", 1, "{}", Map.of(), Instant.EPOCH, false);

    @Test
    void successSendsTheEventIdAsIdempotencyKey() {
        answer(aResponse().withStatus(201));

        request(Duration.ofSeconds(10));

        server.verify(postRequestedFor(urlEqualTo("/shipments"))
                .withHeader("Idempotency-Key", equalTo(envelope.eventId().toString()))
                .withRequestBody(equalToJson("{\"orderId\": \"1\", \"article\": \"lamp\"}")));
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 308, 400, 401, 404, 422})
    void refusedRequestIsNotRetried(int status) {
        answer(aResponse().withStatus(status).withHeader("Retry-After", "120"));

        assertThatThrownBy(() -> request(Duration.ofSeconds(10)))
                .isInstanceOf(NonRetryableException.class)
                .hasMessage("the carrier answered " + status);
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 409, 429, 500, 503})
    void temporaryFailureIsRetriedByThePolicy(int status) {
        answer(aResponse().withStatus(status));

        assertThatThrownBy(() -> request(Duration.ofSeconds(10)))
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessage("the carrier answered " + status);
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 503})
    void secondsOfRetryAfterAreTheDelay(int status) {
        answer(aResponse().withStatus(status).withHeader("Retry-After", "120"));

        assertThat(retryAfter().delay()).isEqualTo(Duration.ofSeconds(120));
    }

    @Test
    void dateOfRetryAfterIsTheDelay() {
        ZonedDateTime later = ZonedDateTime.now(ZoneOffset.UTC).plusHours(1);
        answer(aResponse()
                .withStatus(429)
                .withHeader("Retry-After", DateTimeFormatter.RFC_1123_DATE_TIME.format(later)));

        assertThat(retryAfter().delay()).isBetween(Duration.ofMinutes(55), Duration.ofHours(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Wed, 21 Oct 2015 07:28:00 GMT", "soon", "-1", ""})
    void pastOrUnreadableRetryAfterIsIgnored(String value) {
        answer(aResponse().withStatus(429).withHeader("Retry-After", value));

        assertThatThrownBy(() -> request(Duration.ofSeconds(10))).isExactlyInstanceOf(IllegalStateException.class);
    }

    @Test
    void missingAnswerIsRetriedByThePolicy() {
        answer(aResponse().withStatus(201).withFixedDelay(60_000));

        assertThatThrownBy(() -> request(Duration.ofMillis(200))).isInstanceOf(ResourceAccessException.class);
    }

    private void answer(ResponseDefinitionBuilder response) {
        server.stubFor(post("/shipments").willReturn(response));
    }

    private RetryAfterException retryAfter() {
        return catchThrowableOfType(RetryAfterException.class, () -> request(Duration.ofSeconds(10)));
    }

    private void request(Duration timeout) {
        new Shipments(server.baseUrl(), timeout).request(new OrderPlaced("1", "lamp"), envelope);
    }
}
