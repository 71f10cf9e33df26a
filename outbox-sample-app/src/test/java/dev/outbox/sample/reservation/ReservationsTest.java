package dev.outbox.sample.reservation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleTest;
import dev.outbox.sample.reservation.Reservations.RequestReservation;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

@SampleTest
class ReservationsTest {

    @Autowired
    private Reservations reservations;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void rolledBackConfirmationIsNeitherStoredNorPublished() {
        Reservation requested = reservations.request(new RequestReservation("user-1", "sauna", Instant.now()));

        transaction.executeWithoutResult((status) -> {
            reservations.confirm(requested.id());
            status.setRollbackOnly();
        });

        assertThat(eventsOf(requested)).isZero();
        assertThat(reservations.confirm(requested.id()).status()).isEqualTo("confirmed");
        assertThat(eventsOf(requested)).isOne();
    }

    private long eventsOf(Reservation reservation) {
        return jdbc.sql("SELECT count(*) FROM events.outbox WHERE aggregate_id = :id")
                .param("id", reservation.id().toString())
                .query(Long.class)
                .single();
    }
}
