package dev.outbox.spring.autoconfigure.events;

import dev.outbox.OutboxHandler;
import dev.outbox.Outboxed;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.UUID;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.annotation.AliasFor;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The Java code of the documentation of Spring events. */
final class SpringEventsSnippets {

    private SpringEventsSnippets() {}

    @Outboxed(aggregateType = "order", aggregateId = "orderId")
    public record OrderPlaced(String orderId, String customer) {}

    @Service
    static class Orders {

        private final JdbcClient jdbc;
        private final ApplicationEventPublisher events;

        Orders(JdbcClient jdbc, ApplicationEventPublisher events) {
            this.jdbc = jdbc;
            this.events = events;
        }

        @Transactional
        public void place(String orderId, String customer) {
            jdbc.sql("INSERT INTO purchase (id, customer) VALUES (:id, :customer)")
                    .param("id", orderId)
                    .param("customer", customer)
                    .update();
            events.publishEvent(new OrderPlaced(orderId, customer));
        }
    }

    @Component
    static class Mail {

        @OutboxHandler(id = "mail")
        void confirm(OrderPlaced event) {
            // send the mail
        }
    }

    @Outboxed(aggregateType = "parcel", aggregateId = "parcelId")
    public sealed interface ParcelEvent permits ParcelSent, ParcelReturned {

        UUID parcelId();
    }

    public record ParcelSent(UUID parcelId, String carrier) implements ParcelEvent {}

    public record ParcelReturned(UUID parcelId, String reason) implements ParcelEvent {}

    @Outboxed(aggregateType = "", aggregateId = "id.value")
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface DomainEvent {

        @AliasFor(annotation = Outboxed.class, attribute = "aggregateType")
        String of();
    }

    public record CustomerId(UUID value) {}

    @DomainEvent(of = "customer")
    public record CustomerMoved(CustomerId id, String city) {}
}
