package dev.outbox.sample.http;

import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.springframework.http.HttpHeaders;

/**
 * Answer of a gateway.
 *
 * @param gateway the name of the gateway
 * @param status the HTTP status
 * @param headers the headers
 * @param body the body, possibly cut off
 * @param receivedAt when it arrived
 */
public record Answer(String gateway, int status, HttpHeaders headers, String body, Instant receivedAt) {

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
     * @return a {@link NonRetryableException} for a request that the gateway will always refuse; for an overloaded gateway, a
     *     {@link RetryAfterException} if it says when to retry; otherwise a {@link GatewayException}
     */
    public RuntimeException failure(String detail) {
        return failure(detail, Optional.empty());
    }

    /**
     * Returns the exception for an answer that is not a success.
     *
     * @param detail what the body says, or an empty text
     * @param defaultDelay how long to wait if an overloaded gateway does not say
     * @return as {@link #failure(String)}
     */
    public RuntimeException failure(String detail, Optional<Duration> defaultDelay) {
        String message = "%s answered %d %s".formatted(gateway, status, detail).strip();
        if (status == 429 || status == 503) {
            return RetryAfter.of(headers, receivedAt)
                    .or(() -> defaultDelay)
                    .<RuntimeException>map((delay) -> new RetryAfterException(delay, message))
                    .orElseGet(() -> new GatewayException(message));
        }
        return status / 100 == 4 && status != 408 ? new NonRetryableException(message) : new GatewayException(message);
    }

    /** Omits the body, which may be an access token. */
    @Override
    public String toString() {
        return "Answer[gateway=" + gateway + ", status=" + status + "]";
    }
}
