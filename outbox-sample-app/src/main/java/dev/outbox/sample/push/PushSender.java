package dev.outbox.sample.push;

import dev.outbox.NonRetryableException;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.PushEvent.PushRequested;
import dev.outbox.sample.push.Devices.Registration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Pushes each message until the gateway accepts it or the attempts are used up. The outbox redelivers the event for each attempt. */
@Component
class PushSender {

    private static final Logger log = LoggerFactory.getLogger(PushSender.class);

    private final Inbox inbox;
    private final Devices devices;
    private final PushGateway gateway;
    private final PushSettings settings;

    PushSender(Inbox inbox, Devices devices, PushGateway gateway, PushSettings settings) {
        this.inbox = inbox;
        this.devices = devices;
        this.gateway = gateway;
        this.settings = settings;
    }

    /** Ignores a message that was already sent or has failed for good. Calls the gateway outside any transaction. */
    @OutboxHandler(id = "push.send")
    void send(PushRequested event) {
        inbox.beginAttempt(event.notificationId())
                .ifPresentOrElse(this::send, () -> log.info("Push {} is over already", event.notificationId()));
    }

    private void send(InboxMessage message) {
        devices.of(message.userId())
                .ifPresentOrElse(
                        (registration) -> sendTo(registration, message),
                        () -> inbox.failed(message.id(), "the user has no device"));
    }

    private void sendTo(Registration registration, InboxMessage message) {
        try {
            PushMessage push = new PushMessage(message.id(), message.title(), message.body());
            switch (gateway.send(push, registration.device())) {
                case ACCEPTED -> inbox.sent(message.id());
                case DEVICE_GONE -> giveUpDevice(registration, message);
            }
        } catch (GatewayException ex) {
            if (message.attempts() < settings.maxAttempts()) {
                throw ex;
            }
            inbox.failed(message.id(), "the gateway failed");
            throw new NonRetryableException("push %s failed %d times".formatted(message.id(), message.attempts()), ex);
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
