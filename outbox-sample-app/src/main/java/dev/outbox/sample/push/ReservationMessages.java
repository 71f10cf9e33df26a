package dev.outbox.sample.push;

import dev.outbox.EventEnvelope;
import dev.outbox.EventUpcaster;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.ReservationEvent.ReservationConfirmed;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Adds confirmed reservations to the inboxes of their users, whether they have a device or not. */
@Component
class ReservationMessages {

    private static final ZoneId SEOUL = ZoneId.of("Asia/Seoul");

    private final Inbox inbox;
    private final PushRequests requests;

    ReservationMessages(Inbox inbox, PushRequests requests) {
        this.inbox = inbox;
        this.requests = requests;
    }

    /** Reads what the previous release has stored and sent. */
    @Bean
    static EventUpcaster reservationWithTimeZone() {
        return EventUpcaster.of("ReservationConfirmed", 1, 2, (json) -> {
            LocalDateTime local = LocalDateTime.parse(json.path("startsAt").asString());
            return json.put("startsAt", local.atZone(SEOUL).toInstant().toString());
        });
    }

    @OutboxHandler(id = "push.reservation-confirmed", deduplicate = true)
    void reservationConfirmed(ReservationConfirmed event, EventEnvelope envelope) {
        String body = "%s, from %s".formatted(event.place(), event.startsAt());
        inbox.put(PushRequests.messageOf(envelope), event.userId(), "Reservation confirmed", body)
                .ifPresent((id) -> requests.publish(List.of(id)));
    }
}
