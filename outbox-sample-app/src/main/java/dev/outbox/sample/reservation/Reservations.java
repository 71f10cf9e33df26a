package dev.outbox.sample.reservation;

import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.ReservationEvent.ReservationConfirmed;
import dev.outbox.sample.web.Name;
import dev.outbox.sample.web.NotFoundException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Reservations over HTTP. A confirmation and its event are stored together. */
@RestController
@RequestMapping("/reservations")
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

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    Reservation request(@Valid @RequestBody RequestReservation request) {
        UUID id = UUID.randomUUID();
        jdbc.sql(REQUEST)
                .param("id", id)
                .param("userId", request.userId())
                .param("place", request.place())
                .param("startsAt", Timestamp.from(request.startsAt()))
                .update();
        return find(id);
    }

    /** Confirms a reservation. Publishes nothing if it is already confirmed. */
    @Transactional
    @PostMapping("/{id}/confirmation")
    Reservation confirm(@PathVariable UUID id) {
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

    record RequestReservation(
            @Name String userId,
            @Name String place,
            @NotNull Instant startsAt) {}
}
