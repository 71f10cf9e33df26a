package shop;

import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Orders {

    private static final Logger log = LoggerFactory.getLogger(Orders.class);

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    Orders(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    /** The route "orders" forwards the event to Kafka. */
    @Transactional
    public void place(String orderId, String article) {
        jdbc.sql("INSERT INTO orders (id, article) VALUES (?, ?)")
                .params(orderId, article)
                .update();
        outbox.publish("order", orderId, new OrderPlaced(orderId, article));
    }

    /** The inbox "parcels" has received the event from Kafka. */
    @OutboxHandler(id = "orders.ship")
    public void ship(ParcelShipped event) {
        jdbc.sql("UPDATE orders SET parcel = ? WHERE id = ?")
                .params(event.parcel(), event.orderId())
                .update();
        log.info("Order {} is shipped in parcel {}", event.orderId(), event.parcel());
    }

    public Optional<String> parcel(String orderId) {
        return jdbc.sql("SELECT parcel FROM orders WHERE id = ? AND parcel IS NOT NULL")
                .param(orderId)
                .query(String.class)
                .optional();
    }
}
