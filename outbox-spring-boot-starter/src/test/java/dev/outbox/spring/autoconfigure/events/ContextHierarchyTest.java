package dev.outbox.spring.autoconfigure.events;

import static dev.outbox.spring.autoconfigure.events.Shop.inTransaction;
import static dev.outbox.spring.autoconfigure.events.Shop.stored;
import static dev.outbox.spring.autoconfigure.events.Shop.withoutPolling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.events.Shop.Hook;
import dev.outbox.spring.autoconfigure.events.Shop.Listeners;
import dev.outbox.spring.autoconfigure.events.Shop.OrderConfirmed;
import dev.outbox.spring.autoconfigure.events.Shop.OrderPlaced;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

/** A context passes each event to its parent after its own listeners. */
class ContextHierarchyTest {

    private final TestDatabase database = TestPostgres.shared().newDatabase();

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void outboxOfTheParentStoresEventsOfTheChild() {
        withChild(new ApplicationContextRunner(), (parent, child) -> {
            inTransaction(parent, () -> child.publishEvent(new OrderPlaced("1")));

            assertThat(stored(parent)).containsExactly("OrderPlaced 1 1");
            assertThat(parent.getBean(Listeners.class).immediate).containsExactly("1");
        });
    }

    @Test
    void eventIsStoredOnceIfParentAndChildHaveAnOutbox() {
        withChild(outbox(), (parent, child) -> {
            OrderPlaced event = new OrderPlaced("1");
            inTransaction(child, () -> {
                child.publishEvent(event);
                child.publishEvent(event);
            });

            assertThat(stored(child)).containsExactly("OrderPlaced 1 1", "OrderPlaced 1 2");
            assertThat(parent.getBean(Listeners.class).immediate).containsExactly("1", "1");
        });
    }

    @Test
    void eventIsStoredOnceIfAListenerPublishesAnother() {
        List<ConfigurableApplicationContext> publishers = new ArrayList<>();
        Hook hook = new Hook((event) -> publishers.forEach((context) -> context.publishEvent(new OrderConfirmed("1"))));
        withChild(outbox().withBean(Hook.class, () -> hook), (parent, child) -> {
            publishers.add(child);
            publishers.add(parent);
            inTransaction(child, () -> child.publishEvent(new OrderPlaced("1")));

            assertThat(stored(child)).containsExactly("OrderPlaced 1 1", "OrderConfirmed 1 2", "OrderConfirmed 1 3");
        });
    }

    @Test
    void eventThatNeverReachedTheParentIsForgottenWithItsTransaction() {
        Hook failing = new Hook((event) -> {
            throw new IllegalStateException("on purpose");
        });
        withChild(outbox().withBean(Hook.class, () -> failing), (parent, child) -> {
            OrderPlaced event = new OrderPlaced("1");
            inTransaction(
                    child,
                    () -> assertThatThrownBy(() -> child.publishEvent(event))
                            .isInstanceOf(IllegalStateException.class));
            inTransaction(parent, () -> parent.publishEvent(event));

            assertThat(stored(parent)).containsExactly("OrderPlaced 1 1", "OrderPlaced 1 2");
        });
    }

    private void withChild(
            ApplicationContextRunner child,
            BiConsumer<ConfigurableApplicationContext, ConfigurableApplicationContext> test) {
        outbox().withBean(Listeners.class)
                .run((parent) -> child.withParent(parent.getSourceApplicationContext())
                        .run((context) -> test.accept(
                                parent.getSourceApplicationContext(), context.getSourceApplicationContext())));
    }

    private ApplicationContextRunner outbox() {
        return withoutPolling(Applications.on(database));
    }
}
