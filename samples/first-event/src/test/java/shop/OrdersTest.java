package shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@OutboxTest({Orders.class, Mail.class})
class OrdersTest {

    @Autowired
    private Orders orders;

    @Autowired
    private OutboxTester outbox;

    @Test
    void confirmsAnOrder() {
        orders.place("1", "lamp");

        outbox.drain();

        assertThat(outbox).published(OrderPlaced.class).forAggregate("order", "1").handledBy("mail");
    }
}
