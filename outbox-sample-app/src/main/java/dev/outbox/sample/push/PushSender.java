package dev.outbox.sample.push;

import dev.outbox.NonRetryableException;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.PushEvent.PushRequested;
import dev.outbox.sample.push.PushGateway.GatewayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Pushes each message until the gateway accepts it or the attempts are used up. The outbox redelivers the event for each attempt. */
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

    /** Ignores a message that was already sent or has failed for good. Calls the gateway outside any transaction. */
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
