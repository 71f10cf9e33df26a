package dev.outbox.sample.reservation;

import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.ReservationEvent.ReservationConfirmed;
import dev.outbox.sample.web.NotFoundException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Keeps reservations. A confirmation and its event are stored together. */
@Service
class Reservations {

    private static final String REQUEST = """
            INSERT INTO reservation.reservations (id, user_id, place, starts_at)
            VALUES (:id, :userId, :place, :startsAt)
            """;

    private static final String CONFIRM = """
            UPDATE reservation.reservations
               SET status = 'confirmed'
             WHERE id = :id
               AND status = 'requested'
            """;

    private static final String FIND = """
            SELECT id, user_id, place, starts_at, status
              FROM reservation.reservations
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    Reservations(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    Reservation request(String userId, String place, Instant startsAt) {
        UUID id = UUID.randomUUID();
        jdbc.sql(REQUEST)
                .param("id", id)
                .param("userId", userId)
                .param("place", place)
                .param("startsAt", Timestamp.from(startsAt))
                .update();
        return find(id);
    }

    /** Confirms a reservation. Publishes nothing if it is already confirmed. */
    @Transactional
    Reservation confirm(UUID id) {
        int confirmed = jdbc.sql(CONFIRM).param("id", id).update();
        Reservation reservation = find(id);
        if (confirmed == 1) {
            ReservationConfirmed event =
                    new ReservationConfirmed(id, reservation.userId(), reservation.place(), reservation.startsAt());
            outbox.publish("reservation", id.toString(), event);
        }
        return reservation;
    }

    private Reservation find(UUID id) {
        return jdbc.sql(FIND)
                .param("id", id)
                .query(Reservation.class)
                .optional()
                .orElseThrow(() -> new NotFoundException("reservation", id));
    }
}
