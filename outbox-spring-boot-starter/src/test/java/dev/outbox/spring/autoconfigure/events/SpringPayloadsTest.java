package dev.outbox.spring.autoconfigure.events;

import static dev.outbox.spring.autoconfigure.Applications.stored;
import static dev.outbox.spring.autoconfigure.events.Shop.inTransaction;
import static dev.outbox.spring.autoconfigure.events.Shop.withoutPolling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.outbox.EventType;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxHandler;
import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.testing.TestDatabase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationEvent;
import org.springframework.core.ResolvableType;
import org.springframework.core.ResolvableTypeProvider;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Events of the kinds that Spring knows. */
class SpringPayloadsTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void applicationEventWithItsSourceIsRefused() {
        quiet().run((context) -> inTransaction(
                context,
                () -> assertThatThrownBy(() -> context.publishEvent(new OrderOpened(this, "1")))
                        .isInstanceOf(InvalidEventException.class)
                        .hasMessageContaining(OrderOpened.class.getName()
                                + " is @Outboxed and extends ApplicationEvent, so the payload would contain its source")
                        .hasMessageContaining("publish a record")));
    }

    @Test
    void applicationEventWithoutItsSourceIsStoredAndHandled() {
        Applications.on(database).withBean(Desk.class).run((context) -> {
            inTransaction(context, () -> context.publishEvent(new OrderClosed(this, "1")));

            await().untilAsserted(
                            () -> assertThat(context.getBean(Desk.class).closed).containsExactly("1"));
            assertThat(payloads(context.getBean(JdbcClient.class))).containsExactly("{\"orderId\": \"1\"}");
        });
    }

    @Test
    void resolvableTypeIsNoPartOfThePayload() {
        quiet().run((context) -> inTransaction(context, () -> {
            assertThatThrownBy(() -> context.publishEvent(new Created<>("1", 2)))
                    .isInstanceOf(InvalidEventException.class)
                    .hasMessageContaining("implements ResolvableTypeProvider")
                    .hasMessageContaining("add @JsonIgnore to getResolvableType()");
            context.publishEvent(new Removed<>("1", 2));
            assertThat(payloads(context.getBean(JdbcClient.class)))
                    .containsExactly("{\"entity\": 2, \"orderId\": \"1\"}");
        }));
    }

    @Test
    void genericEventReachesHandlersOfJson() {
        Applications.on(database).withBean(Desk.class).run((context) -> {
            inTransaction(context, () -> context.publishEvent(new Changed<>(new Order("7"))));

            await().untilAsserted(() ->
                    assertThat(context.getBean(Desk.class).changed).containsExactly("7"));
            assertThat(stored(context)).containsExactly("EntityChanged 7 1");
        });
    }

    private ApplicationContextRunner quiet() {
        return withoutPolling(Applications.on(database));
    }

    private static List<String> payloads(JdbcClient sql) {
        return sql.sql("SELECT payload::text FROM events.outbox")
                .query(String.class)
                .list();
    }

    static class Desk {

        final List<String> closed = new CopyOnWriteArrayList<>();
        final List<String> changed = new CopyOnWriteArrayList<>();

        @OutboxHandler(id = "closed")
        void close(OrderClosed event) {
            closed.add(event.getOrderId());
        }

        @OutboxHandler(id = "changed", eventTypes = "EntityChanged")
        void change(JsonNode event) {
            changed.add(event.path("entity").path("orderId").asString());
        }
    }

    @Outboxed(aggregateType = "order", aggregateId = "orderId")
    static class OrderOpened extends ApplicationEvent {

        private static final long serialVersionUID = 1L;

        private final String orderId;

        OrderOpened(Object source, String orderId) {
            super(source);
            this.orderId = orderId;
        }

        public String getOrderId() {
            return orderId;
        }
    }

    @JsonIgnoreProperties({"source", "timestamp"})
    static final class OrderClosed extends OrderOpened {

        private static final long serialVersionUID = 1L;

        OrderClosed(Object source, String orderId) {
            super(source, orderId);
        }

        @JsonCreator
        static OrderClosed read(@JsonProperty("orderId") String orderId) {
            return new OrderClosed("the outbox", orderId);
        }
    }

    @Outboxed(aggregateType = "order", aggregateId = "orderId")
    record Created<T>(String orderId, T entity) implements ResolvableTypeProvider {

        @Override
        public ResolvableType getResolvableType() {
            return ResolvableType.forClassWithGenerics(Created.class, entity.getClass());
        }
    }

    @Outboxed(aggregateType = "order", aggregateId = "orderId")
    record Removed<T>(String orderId, T entity) implements ResolvableTypeProvider {

        @Override
        @JsonIgnore
        public ResolvableType getResolvableType() {
            return ResolvableType.forClassWithGenerics(Removed.class, entity.getClass());
        }
    }

    @EventType("EntityChanged")
    @Outboxed(aggregateType = "order", aggregateId = "entity.orderId")
    record Changed<T extends Identified>(T entity) {}

    interface Identified {

        String orderId();
    }

    record Order(String orderId) implements Identified {}
}
