package shop;

import dev.outbox.OutboxHandler;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

@Component
public class Warehouse {

    final List<OrderPlaced> shipped = new ArrayList<>();

    @OutboxHandler(id = "warehouse")
    void ship(OrderPlaced order) {
        shipped.add(order);
    }
}
