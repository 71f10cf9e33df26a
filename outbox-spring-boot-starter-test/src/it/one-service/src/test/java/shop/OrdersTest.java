package shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@OutboxTest({Orders.class, Warehouse.class})
class OrdersTest {

    @Test
    void orderIsShipped(@Autowired Orders orders, @Autowired Warehouse warehouse, @Autowired OutboxTester outbox) {
        orders.place("1", "lamp");

        outbox.drain();

        assertThat(outbox).published(OrderPlaced.class).forAggregate("order", "1").handledBy("warehouse");
        assertThat(warehouse.shipped).containsExactly(new OrderPlaced("lamp", 1));
    }
}
