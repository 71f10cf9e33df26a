package shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@OutboxTest({Orders.class, Warehouse.class})
class OrdersTest {

    @Test
    void orderIsShippedOnce(@Autowired Orders orders, @Autowired OutboxTester outbox) {
        orders.place("1", "lamp");
        outbox.drain();
        assertThat(outbox).published(OrderPlaced.class).handledBy("warehouse");
        outbox.verifyIdempotent("warehouse");
    }
}
