package dev.outbox.sample.fulfilment;

import dev.outbox.sample.demo.Outage;
import dev.outbox.sample.demo.Outages;
import dev.outbox.sample.http.GatewayException;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Simulated courier service, which can be down or lose its answers. */
@Component
final class Courier {

    private static final String BOOK = """
            INSERT INTO fulfilment.parcels (key, order_id)
            VALUES (:key, :orderId)
            ON CONFLICT (key) DO UPDATE
               SET requests = parcels.requests + 1
            """;

    private final JdbcClient jdbc;
    private final Outages outages;

    Courier(JdbcClient jdbc, Outages outages) {
        this.jdbc = jdbc;
        this.outages = outages;
    }

    /**
     * Books a parcel once per key. After a failure the parcel may be booked; the call is repeated under the same key.
     *
     * @param key the id of the event, the same for each attempt
     * @param orderId the order
     */
    void book(UUID key, String orderId) {
        Outage outage = outages.of("courier");
        if (outage == Outage.DOWN) {
            throw new GatewayException("the courier cannot be reached");
        }
        jdbc.sql(BOOK).param("key", key).param("orderId", orderId).update();
        if (outage == Outage.LOSE_ANSWER) {
            throw new GatewayException("the courier has not answered for order " + orderId);
        }
    }
}
