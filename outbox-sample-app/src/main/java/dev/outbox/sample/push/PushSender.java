package dev.outbox.sample.push;

import dev.outbox.DeadLetter;
import dev.outbox.EventContext;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.PushEvent.PushRequested;
import dev.outbox.sample.events.SystemEvent.OperationPerformed;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.push.Devices.Registration;
import dev.outbox.sample.push.Inbox.Delivery;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Pushes each message to the devices of its user until each is done with, or the outbox gives up. The outbox redelivers the event for each attempt. */
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
    void send(PushRequested event, EventContext context) {
        inbox.beginAttempt(event.notificationId())
                .ifPresentOrElse(
                        (message) -> send(message, context),
                        () -> log.info("Push {} is over already", event.notificationId()));
    }

    /** Reads no payload, which may be the reason: the aggregate is the message. */
    @OutboxDeadLetter("push.send")
    void gaveUp(DeadLetter letter) {
        UUID id = UUID.fromString(letter.event().aggregateId());
        if (inbox.end(id, letter.errorCode())) {
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
            inbox.end(id, "skipped by an operator");
        }
    }

    /**
     * Tries every device that is not done with before it reports the first failure that a retry may mend. A process that was suspended for
     * longer than its lease leaves the remaining devices to the process that took over.
     */
    private void send(InboxMessage message, EventContext context) {
        RuntimeException failure = null;
        for (Registration registration : devices.awaiting(message)) {
            if (context.isLeaseLost()) {
                throw new IllegalStateException("push " + message.id() + " has another worker: its lease is lost");
            }
            try {
                inbox.record(message.id(), registration, sendTo(registration, message));
            } catch (NonRetryableException ex) {
                log.error("Push {} to device {} failed for good", message.id(), registration.name(), ex);
                inbox.record(message.id(), registration, String.valueOf(ex.getMessage()));
            } catch (RuntimeException ex) {
                devices.missAnswer(registration.id());
                failure = failure == null ? ex : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
        inbox.end(message.id(), reason(inbox.deliveries(message.id())));
    }

    /** Returns the failure of the device, or {@code null} if the gateway accepted the message. */
    private @Nullable String sendTo(Registration registration, InboxMessage message) {
        PushMessage push = new PushMessage(message.id(), message.title(), message.body());
        return switch (gateway.send(push, registration.device())) {
            case ACCEPTED -> null;
            case DEVICE_GONE -> giveUpDevice(registration);
        };
    }

    /** Retries if the user has registered the device again meanwhile. */
    private String giveUpDevice(Registration registration) {
        if (!devices.remove(registration.id())) {
            throw new GatewayException("the device was registered again during the attempt");
        }
        return "the device is not registered any more";
    }

    private static String reason(List<Delivery> failed) {
        return failed.stream()
                .map(Delivery::failure)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse("the user has no device");
    }
}
