package dev.outbox.spring.autoconfigure.events;

import static dev.outbox.spring.autoconfigure.Applications.stored;
import static dev.outbox.spring.autoconfigure.events.Shop.inTransaction;
import static dev.outbox.spring.autoconfigure.events.Shop.transactions;
import static dev.outbox.spring.autoconfigure.events.Shop.withoutPolling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.events.Shop.Listeners;
import dev.outbox.spring.autoconfigure.events.Shop.OrderConfirmed;
import dev.outbox.spring.autoconfigure.events.Shop.OrderPlaced;
import dev.outbox.spring.autoconfigure.events.Shop.Unmarked;
import dev.outbox.spring.autoconfigure.events.Shop.Warehouse;
import dev.outbox.testing.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.TransactionDefinition;

class SpringEventsTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void eventReachesItsHandlerOnceAndItsListenersOnce() {
        Applications.on(database)
                .withBean(Listeners.class)
                .withBean(Warehouse.class)
                .run((context) -> {
                    inTransaction(context, () -> context.publishEvent(new OrderPlaced("1")));
                    await().untilAsserted(() -> assertThat(context.getBean(JdbcClient.class)
                                    .sql("SELECT count(*) FROM events.outbox_published")
                                    .query(Long.class)
                                    .single())
                            .isOne());

                    assertThat(context.getBean(Warehouse.class).orders).containsExactly("1:1");
                    assertThat(context.getBean(Listeners.class).immediate).containsExactly("1");
                    assertThat(context.getBean(Listeners.class).afterCommit).containsExactly("1");
                });
    }

    @Test
    void eventIsStoredOncePerPublishEventAlsoInsideACarrier() {
        quiet().run((context) -> {
            OrderPlaced event = new OrderPlaced("1");
            inTransaction(context, () -> {
                context.publishEvent(event);
                context.publishEvent(event);
                context.publishEvent(new Unmarked("1"));
                context.publishEvent(new PayloadApplicationEvent<>(this, new OrderPlaced("2")));
                context.publishEvent(new PayloadApplicationEvent<Object>(
                        this, new OrderPlaced("3"), ResolvableType.forClass(Object.class)));
            });

            assertThat(stored(context))
                    .containsExactly("OrderPlaced 1 1", "OrderPlaced 1 2", "OrderPlaced 2 1", "OrderPlaced 3 1");
        });
    }

    @Test
    void eventRollsBackWithItsTransaction() {
        quiet().withBean(Listeners.class).run((context) -> {
            transactions(context, TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((status) -> {
                context.publishEvent(new OrderPlaced("1"));
                assertThat(stored(context)).containsExactly("OrderPlaced 1 1");
                status.setRollbackOnly();
            });

            assertThat(stored(context)).isEmpty();
            assertThat(context.getBean(Listeners.class).afterCommit).isEmpty();
        });
    }

    @Test
    void eventPrecedesThoseThatItsListenersPublish() {
        quiet().withBean(Confirmation.class).run((context) -> {
            inTransaction(context, () -> context.publishEvent(new OrderPlaced("1")));

            assertThat(stored(context)).containsExactly("OrderPlaced 1 1", "OrderConfirmed 1 2");
        });
    }

    @Test
    void disabledSpringEventsAreNotStored() {
        quiet().withBean(Listeners.class)
                .withPropertyValues("outbox.spring-events.enabled=false")
                .run((context) -> {
                    inTransaction(context, () -> context.publishEvent(new OrderPlaced("1")));

                    assertThat(stored(context)).isEmpty();
                    assertThat(context.getBean(Listeners.class).immediate).containsExactly("1");
                });
    }

    private ApplicationContextRunner quiet() {
        return withoutPolling(Applications.on(database));
    }

    /** Spring publishes what the method returns. */
    static class Confirmation {

        @EventListener
        @Order(Ordered.HIGHEST_PRECEDENCE)
        OrderConfirmed confirm(OrderPlaced event) {
            return new OrderConfirmed(event.orderId());
        }
    }
}
