package dev.outbox.sample.push;

import dev.outbox.DeadLetter;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.PushEvent.PushRequested;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.push.Devices.Registration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Pushes each message until the gateway accepts it or the outbox gives up. The outbox redelivers the event for each attempt. */
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

    private void send(InboxMessage message) {
        devices.of(message.userId())
                .ifPresentOrElse(
                        (registration) -> sendTo(registration, message),
                        () -> inbox.failed(message.id(), "the user has no device"));
    }

    private void sendTo(Registration registration, InboxMessage message) {
        PushMessage push = new PushMessage(message.id(), message.title(), message.body());
        switch (gateway.send(push, registration.device())) {
            case ACCEPTED -> inbox.sent(message.id());
            case DEVICE_GONE -> giveUpDevice(registration, message);
        }
    }

    /** Retries if the user has registered another device meanwhile. */
    private void giveUpDevice(Registration registration, InboxMessage message) {
        if (!devices.remove(registration.id())) {
            throw new GatewayException("the device was registered again during the attempt");
        }
        inbox.failed(message.id(), "the device is not registered any more");
        log.info("Push {} failed, because the gateway does not know the device any more", message.id());
    }
}
