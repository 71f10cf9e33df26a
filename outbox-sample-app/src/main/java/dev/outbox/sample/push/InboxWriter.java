package dev.outbox.sample.push;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.NoticeEvent.NoticePublished;
import dev.outbox.sample.events.PushEvent.PushRequested;
import dev.outbox.sample.events.ReservationEvent.ReservationConfirmed;
import java.util.List;
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * Adds messages to inboxes and publishes a push event for each. The handlers deduplicate, so both happen once per event.
 */
@Component
class InboxWriter {

    private final Inbox inbox;
    private final OutboxPublisher outbox;

    InboxWriter(Inbox inbox, OutboxPublisher outbox) {
        this.inbox = inbox;
        this.outbox = outbox;
    }

    @OutboxHandler(id = "push.reservation-confirmed", deduplicate = true)
    void reservationConfirmed(ReservationConfirmed event) {
        String body = "%s, from %s".formatted(event.place(), event.startsAt());
        request(List.of(inbox.put(event.userId(), "Reservation confirmed", body)));
    }

    @OutboxHandler(id = "push.notice-published", deduplicate = true)
    void noticePublished(NoticePublished event) {
        request(inbox.putToAll(event.title(), event.body()));
    }

    private void request(List<UUID> messages) {
        outbox.publishAll(messages.stream()
                .map((id) -> OutboxEvent.of("push", id.toString(), new PushRequested(id)))
                .toList());
    }
}
