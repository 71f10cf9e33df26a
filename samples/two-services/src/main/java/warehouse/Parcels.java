package warehouse;

import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class Parcels {

    private static final Logger log = LoggerFactory.getLogger(Parcels.class);

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    Parcels(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    /** Ships an order once, even if its event is delivered again: parcel and event are stored in one transaction. */
    @OutboxHandler(id = "parcels", deduplicate = true)
    void ship(OrderPlaced event) {
        String parcel = "P-" + event.orderId();
        jdbc.sql("INSERT INTO parcels (id, article) VALUES (?, ?)")
                .params(parcel, event.article())
                .update();
        outbox.publish("parcel", parcel, new ParcelShipped(parcel, event.orderId()));
        log.info("Parcel {} contains: {}", parcel, event.article());
    }
}
