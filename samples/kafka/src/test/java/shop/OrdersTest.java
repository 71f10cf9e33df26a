package shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.test.ForwardedRecord;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Without a broker: the test kit records what routes send, and stands in for the senders of inboxes. */
@SpringBootTest
@AutoConfigureOutbox
class OrdersTest {

    @Autowired
    private Orders orders;

    @Autowired
    private OutboxTester outbox;

    @Test
    void placedOrderIsForwarded() {
        orders.place("1", "lamp");

        outbox.drain();

        assertThat(outbox.forwarded("shop.orders"))
                .extracting(ForwardedRecord::key)
                .containsExactly("1");
    }

    @Test
    void shippedOrderHasParcel() {
        orders.place("2", "lamp");

        outbox.receive("warehouse.parcels", OutboxEvent.of("parcel", "P-2", new ParcelShipped("P-2", "2")))
                .drain();

        assertThat(orders.parcel("2")).contains("P-2");
    }
}
