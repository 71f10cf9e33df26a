package dev.outbox.sample.adapters.discord;

import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.http.Answer;
import dev.outbox.sample.http.GatewayClient;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.UriComponentsBuilder;
import tools.jackson.databind.JsonNode;

/** REST API of Discord. */
final class Discord {

    /** Discord cannot hold a delivery back for longer. */
    private static final double MAX_SECONDS = 86_400;

    private static final Duration REFUSED_TOKEN_DELAY = Duration.ofMinutes(1);

    private final String token;
    private final URI baseUrl;
    private final GatewayClient http;

    Discord(DiscordSettings settings) {
        String configured = settings.token();
        if (configured == null || configured.isBlank()) {
            throw new IllegalStateException("discord.token is missing; set it to the token of the bot");
        }
        this.token = configured;
        this.baseUrl = settings.baseUrl();
        this.http = new GatewayClient("Discord", settings.timeouts(), Clock.systemUTC());
    }

    /**
     * Calls the API with a JSON body or none, and returns the body of the answer.
     *
     * @throws NonRetryableException if Discord refused the request, for example to message a user who takes no messages
     * @throws RetryAfterException if a rate limit was hit, or Discord refused the token, which uses no attempt
     * @throws dev.outbox.sample.http.GatewayException if a retry can succeed
     */
    JsonNode call(HttpMethod method, @Nullable Object body, String... path) {
        HttpHeaders headers = new HttpHeaders();
        headers.set(HttpHeaders.AUTHORIZATION, "Bot " + token);
        Answer answer = http.sendJson(method, uri(path), headers, body);
        if (answer.isSuccess()) {
            return answer.json();
        }
        throw failure(answer, answer.json());
    }

    private URI uri(String... path) {
        return UriComponentsBuilder.fromUri(baseUrl)
                .pathSegment(path)
                .build()
                .encode()
                .toUri();
    }

    private static RuntimeException failure(Answer answer, JsonNode error) {
        String detail =
                (error.path("code").asString("") + " " + error.path("message").asString("")).strip();
        if (answer.status() == 401) {
            return RetryAfterException.uncounted(REFUSED_TOKEN_DELAY, "Discord refused the token: " + detail);
        }
        Optional<Duration> retryAfter = Optional.of(error.path("retry_after"))
                .filter(JsonNode::isNumber)
                .map((seconds) ->
                        Duration.ofMillis((long) Math.ceil(Math.min(seconds.asDouble(), MAX_SECONDS) * 1000)));
        return answer.failure(detail, retryAfter);
    }
}
