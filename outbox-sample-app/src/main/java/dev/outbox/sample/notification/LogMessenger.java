package dev.outbox.sample.notification;

import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/** Messenger that writes messages to the log instead of sending them. */
@Component
@ConditionalOnProperty(name = "notification.messenger", havingValue = "log")
final class LogMessenger implements Messenger {

    private static final Logger log = LoggerFactory.getLogger(LogMessenger.class);

    @Override
    public void send(String recipient, String message, UUID idempotencyKey) {
        log.info("Message to {}: {}", recipient, message);
    }
}
