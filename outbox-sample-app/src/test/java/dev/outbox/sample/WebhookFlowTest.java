package dev.outbox.sample;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.equalToJson;
import static com.github.tomakehurst.wiremock.client.WireMock.matchingJsonPath;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.stubbing.Scenario;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** Messages and parcels that leave the service by webhook. */
@SampleTest
class WebhookFlowTest {

    private static final WireMockServer SERVER = new WireMockServer(options().dynamicPort());
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    @LocalServerPort
    private int port;

    @DynamicPropertySource
    static void adapters(DynamicPropertyRegistry properties) {
        properties.add("notification.messenger", () -> "webhook");
        properties.add("notification.webhook.url", () -> server() + "/messages");
        properties.add("notification.webhook.secret", () -> SECRET);
        properties.add("fulfilment.courier", () -> "webhook");
        properties.add("fulfilment.webhook.url", () -> server() + "/parcels");
        properties.add("fulfilment.webhook.secret", () -> SECRET);
    }

    /** Starts the server on first use: processing the test ahead of time must not start it. */
    private static String server() {
        if (!SERVER.isRunning()) {
            SERVER.start();
        }
        return SERVER.baseUrl();
    }

    @AfterAll
    static void stopServer() {
        SERVER.stop();
    }

    @Test
    void announcesAnEventWhenTheReceiverIsReadyAgain() {
        answer(
                "/messages",
                "user-of-guild-hooked",
                aResponse().withStatus(429).withHeader("Retry-After", "1"),
                "busy",
                "free");
        answer("/messages", "user-of-guild-hooked", aResponse().withStatus(204), "free", "free");

        Api api = new Api(port);
        api.subscribe("guild-hooked", "pro");

        assertThat(api.awaitPublished()).contains("SubscriptionStarted");
        String event = api.get("/events?trace=" + api.traceId(), "$[?(@.eventType == 'SubscriptionStarted')].eventId")
                .toString()
                .replaceAll("[\\[\\]\"]", "");
        SERVER.verify(
                2,
                postRequestedFor(urlEqualTo("/messages"))
                        .withHeader("Idempotency-Key", equalTo(event))
                        .withRequestBody(equalToJson(
                                "{\"recipient\": \"user-of-guild-hooked\", \"message\": \"pro activated\"}")));
        assertThat(api.messagesTo("user-of-guild-hooked")).containsExactly("pro activated");
    }

    @Test
    void bookingThatTheCourierRefusesIsDead() {
        SERVER.stubFor(post(urlEqualTo("/parcels")).willReturn(aResponse().withStatus(422)));
        Api api = new Api(port);
        String order = api.create("/orders", "{\"item\": \"torch\"}", "$.id");

        api.create("/orders/" + order + "/payment", "", "$");

        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("eventType", "status", "lastErrorCode")
                        .contains(tuple("OrderPaid", "DEAD", "NonRetryableException")));
        SERVER.verify(
                1,
                postRequestedFor(urlEqualTo("/parcels"))
                        .withRequestBody(equalToJson("{\"orderId\": \"%s\"}".formatted(order))));
    }

    private static void answer(
            String path, String recipient, ResponseDefinitionBuilder answer, String state, String next) {
        SERVER.stubFor(post(urlEqualTo(path))
                .withRequestBody(matchingJsonPath("$.recipient", equalTo(recipient)))
                .inScenario(recipient)
                .whenScenarioStateIs(state.equals("busy") ? Scenario.STARTED : state)
                .willReturn(answer)
                .willSetStateTo(next));
    }
}
