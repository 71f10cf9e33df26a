package dev.outbox.sample.fulfilment;

import dev.outbox.sample.demo.Outage;
import dev.outbox.sample.demo.Outages;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Courier that books parcels and may lose its answers. */
@Component
final class SimulatedCourier implements Courier {

    private static final String BOOK = """
            INSERT INTO fulfilment.parcels (key, order_id)
            VALUES (:key, :orderId)
            ON CONFLICT (key) DO UPDATE
               SET requests = parcels.requests + 1
            """;

    private final JdbcClient jdbc;
    private final Outages outages;

    SimulatedCourier(JdbcClient jdbc, Outages outages) {
        this.jdbc = jdbc;
        this.outages = outages;
    }

    @Override
    public void book(UUID key, String orderId) {
        Outage outage = outages.of("courier");
        if (outage == Outage.DOWN) {
            throw new CourierUnreachableException();
        }
        jdbc.sql(BOOK).param("key", key).param("orderId", orderId).update();
        if (outage == Outage.LOSE_ANSWER) {
            throw new CourierTimeoutException(orderId);
        }
    }

    /** The courier is unreachable, and nothing was booked. */
    static final class CourierUnreachableException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        CourierUnreachableException() {
            super("the courier cannot be reached");
        }
    }

    /** No answer arrived in time, and the parcel may have been booked. */
    static final class CourierTimeoutException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        CourierTimeoutException(String orderId) {
            super("the courier has not answered for order " + orderId);
        }
    }
}
