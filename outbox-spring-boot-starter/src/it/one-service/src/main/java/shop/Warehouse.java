package shop;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.stereotype.Component;

@Component
public class Warehouse {

    final BlockingQueue<String> shipped = new LinkedBlockingQueue<>();

    @OutboxHandler(id = "warehouse.ship")
    void ship(OrderPlaced order, EventEnvelope envelope) {
        shipped.add(envelope.aggregateId() + ": " + order.quantity() + " " + order.article());
    }
}
