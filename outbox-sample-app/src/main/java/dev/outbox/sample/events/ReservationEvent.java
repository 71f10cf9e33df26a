package dev.outbox.sample.events;

import dev.outbox.EventType;
import java.time.Instant;
import java.util.UUID;

/** Events about reservations: published by reservation, aggregate {@code reservation}. */
public sealed interface ReservationEvent {

    /** A reservation was confirmed. In version 1, {@code startsAt} was the local time in Seoul. */
    @EventType(version = 2)
    record ReservationConfirmed(UUID reservationId, String userId, String place, Instant startsAt)
            implements ReservationEvent {}
}
