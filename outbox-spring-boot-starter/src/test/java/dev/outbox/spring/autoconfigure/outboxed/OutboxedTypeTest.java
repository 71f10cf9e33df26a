package dev.outbox.spring.autoconfigure.outboxed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.Outboxed;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AliasFor;

class OutboxedTypeTest {

    private static final UUID ID = UUID.fromString("5c2f6d8e-6a0d-4c53-9d5d-0f1f1b0c7a11");

    @Test
    void readsRecordComponents() {
        OutboxEvent event = read(new Shipped("1", 4));

        assertThat(event.aggregateType()).isEqualTo("order");
        assertThat(event.aggregateId()).isEqualTo("1");
        assertThat(event.stream()).isEqualTo("mail");
        assertThat(event.sequence()).isEqualTo(4);
        assertThat(event.payload()).isEqualTo(new Shipped("1", 4));
    }

    @Test
    void readsGettersAndPrivateAccessors() {
        assertThat(read(new Bean()).aggregateId()).isEqualTo("7");
        assertThat(read(new Bean()).sequence()).isNull();
        assertThat(read(new Secretive()).aggregateId()).isEqualTo("8");
    }

    @Test
    void readsPropertiesOfProperties() {
        assertThat(read(new Paid(new OrderId(ID), new Order(3L))).aggregateId()).isEqualTo(ID.toString());
        assertThat(read(new Paid(new OrderId(ID), new Order(3L))).sequence()).isEqualTo(3);
    }

    @Test
    void eventWithoutAggregateIsAnAggregateOfItsOwn() {
        OutboxEvent first = read(new Announced("news"));
        OutboxEvent second = read(new Announced("news"));

        assertThat(first.aggregateType()).isEqualTo(OutboxEvent.UNORDERED);
        assertThat(first.aggregateId()).isNotEqualTo(second.aggregateId());
        assertThat(first.stream()).isEqualTo("mail");
        assertThat(OutboxedType.of(Announced.class)).returns(true, OutboxedType::isUnordered);
        assertThat(OutboxedType.of(Shipped.class)).returns(false, OutboxedType::isUnordered);
    }

    @Test
    void readsConstantsByName() {
        assertThat(read(new TariffChanged(Tariff.GOLD)).aggregateId()).isEqualTo("GOLD");
    }

    @Test
    void findsMarkOfInterfaceOfSuperclassAndOfOtherAnnotation() {
        assertThat(read(new Cancelled("2")).aggregateType()).isEqualTo("order");
        assertThat(read(new LateCancellation("3")).aggregateId()).isEqualTo("3");
        assertThat(read(new Returned("4")).aggregateType()).isEqualTo("return");
        assertThat(read(new Returned("4")).aggregateId()).isEqualTo("4");
    }

    @Test
    void markOfTheClassWinsOverThatOfItsInterface() {
        assertThat(read(new Rerouted("5")).aggregateType()).isEqualTo("parcel");
        assertThat(read(new Lost("6")).aggregateType()).isEqualTo("parcel");
    }

    @Test
    void markOfTwoInterfacesIsUsedIfItIsTheSame() {
        assertThat(read(new Merged("9")).aggregateType()).isEqualTo("order");
    }

    @Test
    void resolvesGenericProperties() {
        assertThat(read(new OrderChanged(new Order(12L))).aggregateId()).isEqualTo("12");
        assertThat(read(new Wrapped<>(new Order(13L))).aggregateId()).isEqualTo("13");
    }

    @Test
    void classWithoutMarkIsNotOutboxed() {
        assertThat(OutboxedType.of(Order.class)).isNull();
        assertThat(OutboxedType.of(String.class)).isNull();
    }

    @Test
    void describesAnEventWithoutItsPayload() {
        OutboxedType type = Objects.requireNonNull(OutboxedType.of(Shipped.class));

        assertThat(type.describe(new Shipped("1", 4))).isEqualTo(Shipped.class.getName() + " of order/1");
    }

    private static OutboxEvent read(Object event) {
        return Objects.requireNonNull(OutboxedType.of(event.getClass())).read(event);
    }

    record OrderId(UUID value) {}

    record Order(@Nullable Long version) {}

    enum Tariff {
        GOLD {
            @Override
            public String toString() {
                return "the golden one";
            }
        }
    }

    @Outboxed(stream = "mail")
    record Announced(String text) {}

    @Outboxed(aggregateType = "order", aggregateId = "id", stream = "mail", sequence = "version")
    record Shipped(String id, int version) {}

    @Outboxed(aggregateType = "order", aggregateId = "number")
    static class Bean {

        public long getNumber() {
            return 7;
        }
    }

    @Outboxed(aggregateType = "order", aggregateId = "number")
    static class Secretive {

        private String number() {
            return "8";
        }

        @Override
        public String toString() {
            return number();
        }
    }

    @Outboxed(aggregateType = "order", aggregateId = "id.value", sequence = "order.version")
    record Paid(OrderId id, Order order) {}

    @Outboxed(aggregateType = "tariff", aggregateId = "tariff")
    record TariffChanged(Tariff tariff) {}

    @Outboxed(aggregateType = "order", aggregateId = "id")
    interface OrderEvent {

        String id();
    }

    @Outboxed(aggregateType = "parcel", aggregateId = "id")
    interface ParcelEvent {

        String id();
    }

    record Cancelled(String id) implements OrderEvent {}

    abstract static class Cancellation implements OrderEvent {}

    static final class LateCancellation extends Cancellation {

        private final String id;

        LateCancellation(String id) {
            this.id = id;
        }

        @Override
        public String id() {
            return id;
        }
    }

    @Outboxed(aggregateType = "", aggregateId = "id")
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Stored {

        @AliasFor(annotation = Outboxed.class, attribute = "aggregateType")
        String value();
    }

    @Stored("return")
    record Returned(String id) {}

    @Outboxed(aggregateType = "parcel", aggregateId = "id")
    record Rerouted(String id) implements OrderEvent {}

    @Outboxed(aggregateType = "parcel", aggregateId = "id")
    interface LostEvent extends OrderEvent {}

    record Lost(String id) implements LostEvent {}

    @Outboxed(aggregateType = "order", aggregateId = "id")
    interface Audited {

        String id();
    }

    record Merged(String id) implements OrderEvent, Audited {}

    @Outboxed(aggregateType = "order", aggregateId = "entity.version")
    abstract static class Changed<T> {

        private final T entity;

        Changed(T entity) {
            this.entity = entity;
        }

        T getEntity() {
            return entity;
        }
    }

    static final class OrderChanged extends Changed<Order> {

        OrderChanged(Order order) {
            super(order);
        }
    }

    @Outboxed(aggregateType = "order", aggregateId = "entity.version")
    record Wrapped<T extends Order>(T entity) {}
}
