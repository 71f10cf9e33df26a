package dev.outbox.sample.push;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.ReservationEvent.ReservationConfirmed;
import java.util.List;
import org.springframework.stereotype.Component;

/** Adds confirmed reservations to the inboxes of their users, whether they have a device or not. */
@Component
class ReservationMessages {

    private final Inbox inbox;
    private final PushRequests requests;

    ReservationMessages(Inbox inbox, PushRequests requests) {
        this.inbox = inbox;
        this.requests = requests;
    }

    @OutboxHandler(id = "push.reservation-confirmed", deduplicate = true)
    void reservationConfirmed(ReservationConfirmed event, EventEnvelope envelope) {
        String body = "%s, from %s".formatted(event.place(), event.startsAt());
        inbox.put(PushRequests.messageOf(envelope), event.userId(), "Reservation confirmed", body)
                .ifPresent((id) -> requests.publish(List.of(id)));
    }
}
