package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.HandlerDefinition;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import java.util.Map;
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

    static final class Unreadable {
        private final String customer;

        Unreadable(String customer) {
            this.customer = customer;
        }

        @Override
        public String toString() {
            return customer;
        }
    }

    static final class Bean {
        private final String customer = "Kim";

        public String getCustomer() {
            return customer;
        }
    }

    static final class Open {

        @JsonAnyGetter
        public Map<String, String> fields() {
            return Map.of();
        }
    }

    record CacheCleared() {}

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

    @Test
    void payloadWithoutReadablePropertiesIsRefused() {
        assertThatThrownBy(() -> outbox.publish("1", new Unreadable("Kim")))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContainingAll(Unreadable.class.getName(), "record", "getters");
    }

    @Test
    void eventWithoutDataIsEmptyRecord() {
        assertThat(outbox.publish("1", new CacheCleared()).payload()).isEqualTo("{}");
        assertThat(outbox.publish("1", new Open()).payload()).isEqualTo("{}");
        assertThat(outbox.publish("1", new Bean()).payload()).contains("Kim");
    }
}
