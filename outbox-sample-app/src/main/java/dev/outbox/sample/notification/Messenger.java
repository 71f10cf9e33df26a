package dev.outbox.sample.notification;

import java.util.UUID;

/** Port to a system that delivers messages to people. */
public interface Messenger {

    /**
     * Sends a message, outside any transaction. A call that fails or whose process dies is repeated with the same arguments, so that a
     * system that remembers the key delivers the message once.
     *
     * @param recipient the user
     * @param message the text
     * @param idempotencyKey the id of the event, the same for each attempt
     * @throws dev.outbox.NonRetryableException if no attempt can succeed
     * @throws dev.outbox.RetryAfterException if the system named the time of the next attempt
     * @throws RuntimeException if the system did not confirm the message, so that a retry may succeed
     */
    void send(String recipient, String message, UUID idempotencyKey);
}
