package dev.outbox.spring.autoconfigure.outboxed;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.InvalidEventException;
import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedTypeTest.Order;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedTypeTest.OrderEvent;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedTypeTest.OrderId;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedTypeTest.Paid;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedTypeTest.ParcelEvent;
import java.math.BigDecimal;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InvalidOutboxedTypeTest {

    @Test
    void differentMarksOfTwoInterfacesAreRefused() {
        assertThatThrownBy(() -> OutboxedType.of(Confused.class))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("inherits different @Outboxed annotations from")
                .hasMessageContaining(OrderEvent.class.getName())
                .hasMessageContaining(ParcelEvent.class.getName())
                .hasMessageContaining("annotate the class itself");
    }

    @ParameterizedTest
    @ValueSource(classes = {Mistyped.class, Method.class, Hash.class, Deep.class})
    void pathThatNamesNoPropertyIsRefused(Class<?> type) {
        assertThatThrownBy(() -> OutboxedType.of(type))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("aggregateId '")
                .hasMessageContaining("' of @Outboxed " + type.getName() + " names no property")
                .hasMessageContaining("name a record component, an accessor, or a path");
    }

    @ParameterizedTest
    @ValueSource(classes = {TypeOnly.class, IdOnly.class, SequenceOnly.class})
    void halfAnAggregateIsRefused(Class<?> type) {
        assertThatThrownBy(() -> OutboxedType.of(type))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("@Outboxed of " + type.getName() + " names ")
                .hasMessageContaining("if the event needs no order");
    }

    @Test
    void idWithoutStableTextIsRefused() {
        assertThatThrownBy(() -> OutboxedType.of(Typed.class))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("is of " + OrderId.class.getName())
                .hasMessageContaining("'id.value'");
        assertThatThrownBy(() -> read(new Untyped(new BigDecimal("1.0"))))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("is of java.math.BigDecimal");
    }

    @Test
    void sequenceThatIsNoIntegralNumberIsRefused() {
        assertThatThrownBy(() -> OutboxedType.of(Dated.class))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("sequence 'at' of")
                .hasMessageContaining("is of java.lang.String and cannot order events");
        assertThatThrownBy(() -> read(new Counted("1", 1.5)))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("is of java.lang.Double");
    }

    @Test
    void missingValueIsRefused() {
        assertThatThrownBy(() -> read(new Paid(new OrderId(UUID.randomUUID()), new Order(null))))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("sequence 'order.version' of")
                .hasMessageContaining("is null: version() of " + Order.class.getName())
                .hasMessageContaining("with JPA after the flush");
    }

    @Test
    void failureOfAnAccessorIsItsCause() {
        assertThatThrownBy(() -> read(new Failing()))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("cannot be read, because id() failed with java.lang.ClassCastException")
                .hasCauseInstanceOf(ClassCastException.class);
    }

    private static void read(Object event) {
        Objects.requireNonNull(OutboxedType.of(event.getClass())).read(event);
    }

    record Confused(String id) implements OrderEvent, ParcelEvent {}

    @Outboxed(aggregateType = "order", aggregateId = "oderId")
    record Mistyped(String orderId) {}

    @Outboxed(aggregateType = "order", aggregateId = "id")
    record Method(String orderId) {

        static String id() {
            return "static";
        }

        void getId() {}

        String id(String argument) {
            return argument;
        }
    }

    @Outboxed(aggregateType = "order")
    record TypeOnly(String id) {}

    @Outboxed(aggregateId = "id")
    record IdOnly(String id) {}

    @Outboxed(sequence = "version")
    record SequenceOnly(long version) {}

    @Outboxed(aggregateType = "order", aggregateId = "hashCode")
    record Hash(String id) {}

    @Outboxed(aggregateType = "order", aggregateId = "id.")
    record Deep(OrderId id) {}

    @Outboxed(aggregateType = "order", aggregateId = "id")
    record Typed(OrderId id) {}

    @Outboxed(aggregateType = "order", aggregateId = "id")
    record Untyped(Object id) {}

    @Outboxed(aggregateType = "order", aggregateId = "id", sequence = "at")
    record Dated(String id, String at) {}

    @Outboxed(aggregateType = "order", aggregateId = "id", sequence = "version")
    record Counted(String id, Number version) {}

    @Outboxed(aggregateType = "order", aggregateId = "id")
    record Failing() {

        String id() {
            throw new ClassCastException("class " + Failing.class.getName() + " cannot be cast");
        }
    }
}
