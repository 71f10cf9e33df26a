package dev.outbox.modulith.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.modulith.shop.Shop.Mail;
import dev.outbox.modulith.shop.Shop.OrderPlaced;
import dev.outbox.modulith.shop.Shop.Orders;
import dev.outbox.modulith.shop.Shop.ParcelSent;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** The slice of the test kit, which has nothing of Spring Modulith but the annotations. */
@OutboxTest(
        value = {Orders.class, Mail.class},
        properties = {"outbox.modulith.listeners=true", "outbox.retry.delays=1m"})
class ListenersInSliceTest {

    @Autowired
    private Orders orders;

    @Autowired
    private OutboxTester outbox;

    @BeforeEach
    void reset() {
        Mail.RECEIVED.clear();
    }

    @Test
    void kitDeliversToListeners() {
        outbox.failNext("mail.parcel", new IllegalStateException("no truck"));
        orders.publish(new OrderPlaced("1", 1), new ParcelSent("p"));

        outbox.drain();
        assertThat(outbox).published(ParcelSent.class).isRetrying().withError("no truck");
        assertThat(Mail.RECEIVED).containsExactly(new OrderPlaced("1", 1));

        outbox.advance(Duration.ofMinutes(1)).drain();
        assertThat(outbox)
                .published(ParcelSent.class)
                .forAggregate("shop.parcels", "p")
                .handledBy("mail.parcel");
        assertThat(outbox).isDrained();
        assertThat(Mail.RECEIVED).containsExactly(new OrderPlaced("1", 1), new ParcelSent("p"));
    }
}
