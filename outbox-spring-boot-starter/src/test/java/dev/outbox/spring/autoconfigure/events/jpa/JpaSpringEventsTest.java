package dev.outbox.spring.autoconfigure.events.jpa;

import static dev.outbox.spring.autoconfigure.Applications.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxHandler;
import dev.outbox.Outboxed;
import dev.outbox.StaleSequenceException;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.testing.TestDatabase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class JpaSpringEventsTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void domainEventCommitsWithItsEntityAndHasItsVersion() {
        application().withBean(Accounting.class).run((context) -> {
            context.getBean(Orders.class).save(Order.place("1"));
            context.getBean(Checkout.class).pay("1", "A");

            assertThat(stored(context)).containsExactly("OrderPlaced 1 0", "OrderPaid 1 1");
            assertThat(version(context, "1")).isOne();
            await().untilAsserted(() ->
                    assertThat(context.getBean(Accounting.class).invoices).containsExactly("1:A:without order"));
        });
    }

    @Test
    void failureOfTheFlushRollsBackTheEventThatWasStoredBefore() {
        quiet().run((context) -> {
            inTransaction(context, (orders) -> orders.save(Order.place("1").bill("A")));

            assertThatThrownBy(() -> inTransaction(context, (orders) -> {
                        orders.save(Order.place("2"));
                        context.publishEvent(new Noted("2"));
                        orders.findById("2").orElseThrow().bill("A");
                    }))
                    .isInstanceOf(DataIntegrityViolationException.class);
            // The sequence is read after a flush.
            assertThatThrownBy(() -> inTransaction(context, (orders) -> {
                        Order order = orders.save(Order.place("2"));
                        assertThatThrownBy(() -> context.publishEvent(new OrderPaid("2", "A", order.bill("A"))))
                                .isInstanceOf(DataIntegrityViolationException.class);
                        throw new IllegalStateException("after the refusal");
                    }))
                    .hasMessage("after the refusal");

            assertThat(stored(context)).containsExactly("OrderPlaced 1 0");
            assertThat(context.getBean(Orders.class).count()).isOne();
        });
    }

    @Test
    void secondEventOfOneVersionIsRefused() {
        quiet().run((context) -> {
            context.getBean(Orders.class).save(Order.place("1"));

            assertThatThrownBy(() -> inTransaction(
                            context,
                            (orders) -> orders.save(
                                    orders.findById("1").orElseThrow().payTwice("A"))))
                    .isInstanceOf(StaleSequenceException.class)
                    .hasMessageContaining("sequence 1 of OrderPaid of order/1, is taken by another event");
            assertThat(stored(context)).containsExactly("OrderPlaced 1 0");
        });
    }

    @Test
    @Tag("full")
    void versionThatWasCopiedBeforeTheFlushIsRefusedWhileItsEventIsQueued() {
        quiet().run((context) -> {
            context.getBean(Orders.class).save(Order.place("1"));

            assertThatThrownBy(() -> inTransaction(
                            context,
                            (orders) -> orders.save(
                                    orders.findById("1").orElseThrow().payWithCopiedVersion("A"))))
                    .isInstanceOf(StaleSequenceException.class)
                    .hasMessageContaining("the version was read before the change was written");
            assertThat(version(context, "1")).isZero();
        });
    }

    @Test
    void readOnlyTransactionIsRefusedBeforeAnythingIsFlushed() {
        quiet().run((context) -> {
            TransactionTemplate readOnly = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            readOnly.setReadOnly(true);
            context.getBean(Orders.class).save(Order.place("1"));

            assertThatThrownBy(() -> readOnly.executeWithoutResult((status) -> {
                        Order order =
                                context.getBean(Orders.class).findById("1").orElseThrow();
                        context.publishEvent(new OrderPaid("1", "A", order.bill("A")));
                    }))
                    .isInstanceOf(InvalidTransactionException.class)
                    .hasMessageContaining("is read-only");
            assertThat(version(context, "1")).isZero();
        });
    }

    private ApplicationContextRunner quiet() {
        return application().withPropertyValues("outbox.poller.enabled=false");
    }

    private ApplicationContextRunner application() {
        return Applications.on(database)
                .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
                .withPropertyValues("spring.jpa.hibernate.ddl-auto=create")
                .withUserConfiguration(Persistence.class)
                .withBean(Checkout.class);
    }

    private static void inTransaction(ApplicationContext context, Consumer<Orders> work) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult((status) -> work.accept(context.getBean(Orders.class)));
    }

    private static long version(ApplicationContext context, String id) {
        return context.getBean(Orders.class).findById(id).orElseThrow().getVersion();
    }

    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = Order.class)
    @EnableJpaRepositories(basePackageClasses = Orders.class)
    static class Persistence {}

    @Outboxed(aggregateType = "note", aggregateId = "orderId")
    record Noted(String orderId) {}

    static class Accounting {

        final List<String> invoices = new CopyOnWriteArrayList<>();

        @OutboxHandler(id = "accounting")
        void book(OrderPaid event) {
            invoices.add(event.orderId() + ":" + event.invoice() + ":"
                    + (event.order() == null ? "without order" : "with order"));
        }
    }
}
