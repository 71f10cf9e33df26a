package dev.outbox.sample.reservation;

import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import java.time.Instant;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Reservations over HTTP. */
@RestController
@RequestMapping("/reservations")
final class ReservationController {

    private final Reservations reservations;

    ReservationController(Reservations reservations) {
        this.reservations = reservations;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    Reservation request(@Valid @RequestBody RequestReservation request) {
        return reservations.request(request.userId(), request.place(), request.startsAt());
    }

    @PostMapping("/{id}/confirmation")
    Reservation confirm(@PathVariable UUID id) {
        return reservations.confirm(id);
    }

    record RequestReservation(
            @Name String userId,
            @Name String place,
            @NotNull Instant startsAt) {}
}
