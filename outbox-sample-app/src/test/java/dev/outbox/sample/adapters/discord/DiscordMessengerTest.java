package dev.outbox.sample.adapters.discord;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.equalToJson;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.http.GatewayTimeouts;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Direct messages to a server that speaks Discord's protocol. */
class DiscordMessengerTest {

    private static final String CHANNELS = "/api/users/@me/channels";
    private static final String MESSAGES = "/api/channels/7/messages";

    @RegisterExtension
    private static final WireMockExtension discord = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    private final UUID key = UUID.fromString("01a2144a-56c0-744d-a5c9-48657ae478cb");

    @BeforeEach
    void openChannels() {
        discord.stubFor(post(urlEqualTo(CHANNELS)).willReturn(okJson("{\"id\": \"7\", \"type\": 1}")));
    }

    @Test
    void sendsADirectMessage() {
        answer(okJson("{\"id\": \"8\"}"));

        send("pro activated");

        discord.verify(postRequestedFor(urlEqualTo(CHANNELS))
                .withHeader("Authorization", equalTo("Bot token-1"))
                .withRequestBody(equalToJson("{\"recipient_id\": \"80351110224678912\"}")));
        discord.verify(postRequestedFor(urlEqualTo(MESSAGES)).withRequestBody(equalToJson("""
                {"content": "pro activated", "nonce": "01a2144a56c0744da5c948657", "enforce_nonce": true,
                 "allowed_mentions": {"parse": []}}
                """)));
    }

    @Test
    void doesNotRetryAUserWhoTakesNoMessages() {
        answer(error(403, "{\"code\": 50007, \"message\": \"Cannot send messages to this user\"}"));

        assertThatThrownBy(() -> send("pro activated"))
                .isInstanceOf(NonRetryableException.class)
                .hasMessage("Discord answered 403 50007 Cannot send messages to this user");
    }

    @Test
    void waitsAsLongAsARateLimitSays() {
        answer(error(429, "{\"message\": \"You are being rate limited.\", \"retry_after\": 64.57, \"global\": false}"));

        assertThatThrownBy(() -> send("pro activated"))
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        (ex) -> assertThat(ex.delay()).isEqualTo(Duration.ofMillis(64_570)));
    }

    @Test
    void refusedTokenUsesNoAttempt() {
        answer(error(401, "{\"code\": 0, \"message\": \"401: Unauthorized\"}"));

        assertThatThrownBy(() -> send("pro activated"))
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        (ex) -> assertThat(ex.isCounted()).isFalse());
    }

    @Test
    void retriesOtherFailures() {
        answer(error(502, "<html>"));
        assertThatThrownBy(() -> send("pro activated")).isInstanceOf(GatewayException.class);

        answer(aResponse().withFault(Fault.CONNECTION_RESET_BY_PEER));
        assertThatThrownBy(() -> send("pro activated")).isInstanceOf(GatewayException.class);
    }

    private void answer(ResponseDefinitionBuilder answer) {
        discord.stubFor(post(urlEqualTo(MESSAGES)).willReturn(answer));
    }

    private static ResponseDefinitionBuilder error(int status, String body) {
        return aResponse().withStatus(status).withBody(body);
    }

    private void send(String message) {
        GatewayTimeouts timeouts = new GatewayTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(30));
        DiscordSettings settings = new DiscordSettings("token-1", URI.create(discord.baseUrl() + "/api"), timeouts);
        new DiscordMessenger(new Discord(settings)).send("80351110224678912", message, key);
    }
}
