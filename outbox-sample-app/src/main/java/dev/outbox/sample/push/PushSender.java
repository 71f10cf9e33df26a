package dev.outbox.sample.push;

import dev.outbox.NonRetryableException;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.PushEvent.PushRequested;
import dev.outbox.sample.push.PushGateway.GatewayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Pushes a message until the gateway has taken it, or has refused it often enough. Tries again by being handed the event again. */
@Component
class PushSender {

    private static final Logger log = LoggerFactory.getLogger(PushSender.class);

    private final Inbox inbox;
    private final PushGateway gateway;
    private final PushSettings settings;

    PushSender(Inbox inbox, PushGateway gateway, PushSettings settings) {
        this.inbox = inbox;
        this.gateway = gateway;
        this.settings = settings;
    }

    /** Does nothing for a message that was sent or given up on before. The gateway is called outside any transaction. */
    @OutboxHandler(id = "push.send")
    void send(PushRequested event) {
        inbox.beginAttempt(event.notificationId())
                .ifPresentOrElse(this::send, () -> log.info("push {} is over already", event.notificationId()));
    }

    private void send(InboxMessage message) {
        try {
            if (gateway.send(message)) {
                inbox.sent(message.id());
            } else {
                inbox.failed(message.id());
                log.warn("push {} has no phone to go to", message.id());
            }
        } catch (GatewayException ex) {
            if (message.attempts() < settings.maxAttempts()) {
                throw ex;
            }
            inbox.failed(message.id());
            throw new NonRetryableException("push %s failed %d times".formatted(message.id(), message.attempts()), ex);
        }
    }
}
