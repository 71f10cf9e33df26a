package shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
@AutoConfigureOutbox
class OrdersTest {

    @Autowired
    private Orders orders;

    @Autowired
    private OrderRepository repository;

    @Autowired
    private OutboxTester outbox;

    @Test
    void paidOrderHasReceipt() {
        orders.place("1");
        orders.pay("1", "invoice 7");

        outbox.drain();

        assertThat(outbox).published(OrderPaid.class).forAggregate("order", "1").handledBy("receipts");
        assertThat(repository.findById("1")).get().extracting(Order::getReceipt).isEqualTo("Receipt for invoice 7");
    }
}
