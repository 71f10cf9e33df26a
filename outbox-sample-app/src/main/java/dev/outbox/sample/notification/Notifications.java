package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends messages, one for an event. If the process dies after the messenger was called and before the message is marked as sent, the next
 * delivery of the event repeats the call with the same message and the same key.
 */
@Service
class Notifications {

    private final NotificationLog messages;
    private final Directory directory;
    private final Messenger messenger;
    private final MeterRegistry meters;

    Notifications(NotificationLog messages, Directory directory, Messenger messenger, MeterRegistry meters) {
        this.messages = messages;
        this.directory = directory;
        this.messenger = messenger;
        this.meters = meters;
    }

    /**
     * Sends the message of an event, unless it was already sent. Must be called outside a transaction, which would otherwise stay open
     * during the call to the messenger.
     */
    void send(EventEnvelope event, String message) {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException("the message about " + event + " must be sent outside a transaction");
        }
        messages.request(event.eventId(), directory.recipientOf(event), message)
                .ifPresentOrElse(this::send, this::countDuplicate);
    }

    private void send(NotificationLog.Request request) {
        messenger.send(request.recipient(), request.message(), request.eventId());
        messages.markSent(request.eventId());
    }

    private void countDuplicate() {
        meters.counter("sample.duplicates", "handler", "notification").increment();
    }
}
