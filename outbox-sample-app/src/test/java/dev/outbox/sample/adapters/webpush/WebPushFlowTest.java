package dev.outbox.sample.adapters.webpush;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.push.Device.Subscription;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** From a confirmation to a browser, with the real gateway and a push service that speaks its protocol. */
@SampleTest
@DirtiesContext
class WebPushFlowTest {

    @RegisterExtension
    private static final WireMockExtension service = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort().http2PlainDisabled(true))
            .build();

    private final String user = "user-" + UUID.randomUUID();
    private final String path = "/p/" + UUID.randomUUID();
    private final Browser browser = new Browser();

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcClient jdbc;

    private Api api;

    @DynamicPropertySource
    static void gateway(DynamicPropertyRegistry properties) {
        properties.add("push.gateway", () -> "web-push");
        properties.add(
                "push.web-push.public-key",
                () -> "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8");
        properties.add("push.web-push.private-key", () -> "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");
        properties.add("push.web-push.subject", () -> "mailto:ops@example.net");
        properties.add("push.web-push.services", service::baseUrl);
        properties.add("push.web-push.timeouts.read", () -> "30s");
        properties.add("outbox.handlers.[push.send].timeout", () -> "60s");
    }

    @BeforeEach
    void register() {
        api = new Api(port);
        assertThat(register(URI.create(service.baseUrl() + path))).isEqualTo(HttpStatus.OK);
    }

    @Test
    void confirmationReachesTheBrowser() {
        answer(201);

        confirmReservation();

        awaitInbox("SENT");
        assertThat(service.findAll(postRequestedFor(urlEqualTo(path))))
                .singleElement()
                .satisfies((request) -> assertThat(browser.decrypt(request.getBody()))
                        .contains("\"title\":\"Reservation confirmed\"", "sauna"));
    }

    @Test
    void endedSubscriptionIsRemoved() {
        answer(410);

        confirmReservation();

        awaitInbox("FAILED");
        assertThat(api.<List<String>>get("/inbox/" + user, "$[*].failure"))
                .containsExactly("the device is not registered any more");
        assertThat(jdbc.sql("SELECT count(*) FROM push.devices WHERE user_id = :user")
                        .param("user", user)
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void refusedMessageFailsAfterOneAttempt() {
        answer(400);

        confirmReservation();

        awaitInbox("FAILED");
        assertThat(api.<List<Object>>get("/inbox/" + user, "$[*]['attempts', 'failure']"))
                .containsExactly(Map.of("attempts", 1, "failure", "the push service answered 400"));
    }

    @Test
    void endpointOfAnotherHostIsRefused() {
        assertThat(register(URI.create("http://169.254.169.254/latest"))).isEqualTo(HttpStatus.BAD_REQUEST);
        assertThat(api.put("/devices/" + user, "{\"token\": \"of FCM\"}").getStatusCode())
                .isEqualTo(HttpStatus.BAD_REQUEST);
    }

    private Object register(URI endpoint) {
        Subscription subscription = browser.subscription(endpoint);
        return api.put("/devices/" + user, """
                {"subscription": {"endpoint": "%s", "expirationTime": null, "keys": {"p256dh": "%s", "auth": "%s"}}}
                """.formatted(
                                endpoint,
                                subscription.keys().p256dh(),
                                subscription.keys().auth()))
                .getStatusCode();
    }

    private void answer(int status) {
        service.stubFor(post(urlEqualTo(path)).willReturn(aResponse().withStatus(status)));
    }

    private void confirmReservation() {
        String reservation = api.create("/reservations", """
                {"userId": "%s", "place": "sauna", "startsAt": "2030-01-01T18:00:00Z"}
                """.formatted(user), "$.id");
        api.create("/reservations/" + reservation + "/confirmation", "", "$.id");
    }

    private void awaitInbox(String status) {
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.<List<String>>get("/inbox/" + user, "$[*].status"))
                        .containsExactly(status));
    }
}
