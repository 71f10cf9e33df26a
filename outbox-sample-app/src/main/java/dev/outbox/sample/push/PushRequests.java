package dev.outbox.sample.push;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.PushEvent.PushRequested;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Requests the pushes of new messages, in the transaction that adds them to inboxes and under their ids. */
@Component
class PushRequests {

    private final OutboxPublisher outbox;

    PushRequests(OutboxPublisher outbox) {
        this.outbox = outbox;
    }

    /** Returns the id of the message of an event. Its own id is taken: the request of the push, an event too, has that of the message. */
    static UUID messageOf(EventEnvelope event) {
        return UUID.nameUUIDFromBytes(("message of " + event.eventId()).getBytes(StandardCharsets.UTF_8));
    }

    void publish(Collection<UUID> messages) {
        outbox.publishAll(messages.stream()
                .map((id) -> OutboxEvent.of("push", id.toString(), new PushRequested(id))
                        .withEventId(id))
                .toList());
    }
}
