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

/** Answer of a gateway. If {@code cut}, the body is only the beginning of what was sent. */
public record Answer(String gateway, int status, HttpHeaders headers, String body, boolean cut, Instant receivedAt) {

    private static final Set<Integer> RETRYABLE = Set.of(408, 425, 429);

    /**
     * Returns the body as JSON, or an empty object if a failure has another body.
     *
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

    /** Returns whether the gateway accepted the request. */
    public boolean isSuccess() {
        return status / 100 == 2;
    }

    /** Returns the exception for a failure, without a default delay. */
    public RuntimeException failure(String detail) {
        return failure(detail, Optional.empty());
    }

    /**
     * Returns the exception for a failure: a {@link NonRetryableException} if the gateway will always refuse the request, a
     * {@link RetryAfterException} if it says when to retry or there is a default delay, otherwise a {@link GatewayException}.
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
