package dev.outbox.sample.events;

import java.time.Instant;
import java.util.UUID;

/** Events about reservations: published by reservation, aggregate {@code reservation}. */
public sealed interface ReservationEvent {

    /** A reservation was confirmed. */
    record ReservationConfirmed(UUID reservationId, String userId, String place, Instant startsAt)
            implements ReservationEvent {}
}
