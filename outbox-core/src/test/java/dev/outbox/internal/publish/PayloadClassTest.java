package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.HandlerDefinition;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PayloadClassTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    static final class Elsewhere {

        record OrderPlaced(String customer) {}

        record OrderPaid(String customer) {}
    }

    @EventType(value = "OrderPlaced", copy = true)
    record Copy(int number) {}

    @Test
    void classOtherThanThatOfHandlersIsRefused() {
        outbox.handler(HandlerDefinition.of("paid", OrderPaid.class, (event, envelope) -> {}))
                .start();

        assertThatThrownBy(() -> outbox.publish("1", new Elsewhere.OrderPaid("Kim")))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContainingAll(OrderPaid.class.getName(), Elsewhere.OrderPaid.class.getName());
        assertThat(outbox.publish("1", new OrderPaid(1)).sequence()).isEqualTo(1);
    }

    @Test
    void copyAndChosenTypeArePublishedBesideTheClass() {
        outbox.handler(HandlerDefinition.of("placed", OrderPlaced.class, (event, envelope) -> {}))
                .start();

        EventEnvelope copy = outbox.publish("1", new Copy(2));
        EventEnvelope chosen = outbox.publish(
                OutboxEvent.of("order", "1", new Elsewhere.OrderPlaced("Kim")).withEventType("OrderPlaced"));

        assertThat(copy.eventType()).isEqualTo("OrderPlaced");
        assertThat(chosen.eventType()).isEqualTo("OrderPlaced");
    }
}
