package dev.outbox.sample.http;

import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Answer of a gateway.
 *
 * @param gateway the name of the gateway
 * @param status the HTTP status
 * @param headers the headers
 * @param body the body, or its beginning
 * @param cut whether the body was longer
 * @param receivedAt when it arrived
 */
public record Answer(String gateway, int status, HttpHeaders headers, String body, boolean cut, Instant receivedAt) {

    private static final Set<Integer> RETRYABLE = Set.of(408, 425, 429);

    /**
     * Reads the body as JSON.
     *
     * @return the body, or an empty object if it is no JSON and the answer is not a success
     * @throws GatewayException if a success is no JSON or was cut: its content is unknown
     */
    public JsonNode json() {
        try {
            if (!cut) {
                return JsonMapper.shared().readTree(body);
            }
        } catch (JacksonException ex) {
            // Leaves out the exception, whose message contains a part of the body.
        }
        if (isSuccess()) {
            throw new GatewayException("%s answered %d with an unreadable body".formatted(gateway, status));
        }
        return JsonNodeFactory.instance.objectNode();
    }

    /**
     * Returns whether the gateway accepted the request.
     *
     * @return whether the status is 2xx
     */
    public boolean isSuccess() {
        return status / 100 == 2;
    }

    /**
     * Returns the exception for an answer that is not a success.
     *
     * @param detail what the body says, or an empty text
     * @return a {@link NonRetryableException} for a request that the gateway will always refuse; a {@link RetryAfterException} if
     *     the gateway says when to retry; otherwise a {@link GatewayException}
     */
    public RuntimeException failure(String detail) {
        return failure(detail, Optional.empty());
    }

    /**
     * Returns the exception for an answer that is not a success.
     *
     * @param detail what the body says, or an empty text
     * @param defaultDelay how long to wait if the gateway does not say
     * @return as {@link #failure(String)}
     */
    public RuntimeException failure(String detail, Optional<Duration> defaultDelay) {
        String message = "%s answered %d %s".formatted(gateway, status, detail).strip();
        if (status / 100 == 4 && !RETRYABLE.contains(status)) {
            return new NonRetryableException(message);
        }
        return RetryAfter.of(headers, receivedAt)
                .or(() -> defaultDelay)
                .<RuntimeException>map((delay) -> new RetryAfterException(delay, message))
                .orElseGet(() -> new GatewayException(message));
    }

    /** Omits the body, which may be an access token. */
    @Override
    public String toString() {
        return "Answer[gateway=" + gateway + ", status=" + status + "]";
    }
}
