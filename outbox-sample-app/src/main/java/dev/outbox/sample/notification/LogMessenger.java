package dev.outbox.sample.notification;

import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Messenger that writes messages to the log instead of sending them. */
final class LogMessenger implements Messenger {

    private static final Logger log = LoggerFactory.getLogger(LogMessenger.class);

    @Override
    public void send(String recipient, String message, UUID idempotencyKey) {
        log.info("Message to {}: {}", recipient, message);
    }
}
