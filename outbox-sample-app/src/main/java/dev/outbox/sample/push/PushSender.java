package dev.outbox.sample.push;

import dev.outbox.DeadLetter;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.PushEvent.PushRequested;
import dev.outbox.sample.events.SystemEvent.OperationPerformed;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.push.Devices.Registration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Pushes each message to the device of its user until the push is sent or has failed. The outbox redelivers the event for each attempt. */
@Component
class PushSender {

    private static final Logger log = LoggerFactory.getLogger(PushSender.class);

    private final Inbox inbox;
    private final Devices devices;
    private final PushGateway gateway;

    PushSender(Inbox inbox, Devices devices, PushGateway gateway) {
        this.inbox = inbox;
        this.devices = devices;
        this.gateway = gateway;
    }

    /** Ignores a message that was already sent or has failed for good. Calls the gateway outside any transaction. */
    @OutboxHandler(id = "push.send")
    void send(PushRequested event) {
        inbox.beginAttempt(event.notificationId())
                .ifPresentOrElse(this::send, () -> log.info("Push {} is over already", event.notificationId()));
    }

    /** Reads no payload, which may be the reason: the aggregate is the message. */
    @OutboxDeadLetter("push.send")
    void gaveUp(DeadLetter letter) {
        UUID id = UUID.fromString(letter.event().aggregateId());
        if (inbox.failed(id, letter.errorCode())) {
            log.error("Push {} failed for good after {} attempts: {}", id, letter.failures(), letter.errorCode());
        }
    }

    /**
     * Ends a message whose push an operator skipped, or withdrew before its first attempt: its id is that of the push event. The event of the
     * operation is delivered even if the process of the operator crashes.
     */
    @OutboxHandler(id = "push.operation")
    void operated(OperationPerformed operation) {
        boolean skipped = operation.action().equals("SKIP") && "push.send".equals(operation.handlerId());
        UUID id = operation.eventId();
        if (id != null && (skipped || operation.action().equals("WITHDRAW"))) {
            inbox.failed(id, "skipped by an operator");
        }
    }

    private void send(InboxMessage message) {
        devices.find(message.userId())
                .ifPresentOrElse(
                        (registration) -> send(message, registration),
                        () -> inbox.failed(message.id(), "the user has no device"));
    }

    private void send(InboxMessage message, Registration registration) {
        PushMessage push = new PushMessage(message.id(), message.title(), message.body());
        try {
            switch (gateway.send(push, registration.device())) {
                case ACCEPTED -> inbox.sent(message.id());
                case DEVICE_GONE -> giveUpDevice(message, registration);
            }
        } catch (NonRetryableException ex) {
            log.error("Push {} failed for good", message.id(), ex);
            inbox.failed(message.id(), String.valueOf(ex.getMessage()));
        }
    }

    /** Retries if the user has registered the device again meanwhile. */
    private void giveUpDevice(InboxMessage message, Registration registration) {
        if (!devices.remove(registration.id())) {
            throw new GatewayException("the device was registered again during the attempt");
        }
        inbox.failed(message.id(), "the device is not registered any more");
    }
}
