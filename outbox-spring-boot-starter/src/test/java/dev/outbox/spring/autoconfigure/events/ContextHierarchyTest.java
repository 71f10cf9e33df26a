package dev.outbox.spring.autoconfigure.events;

import static dev.outbox.spring.autoconfigure.Applications.stored;
import static dev.outbox.spring.autoconfigure.events.Shop.inTransaction;
import static dev.outbox.spring.autoconfigure.events.Shop.withoutPolling;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.events.Shop.Listeners;
import dev.outbox.spring.autoconfigure.events.Shop.OrderPlaced;
import dev.outbox.testing.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A context passes each event to its parent after its own listeners. */
class ContextHierarchyTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void outboxOfTheParentStoresEventsOfTheChild() {
        outbox().withBean(Listeners.class)
                .run((parent) -> new ApplicationContextRunner()
                        .withParent(parent.getSourceApplicationContext())
                        .run((child) -> {
                            inTransaction(parent, () -> child.publishEvent(new OrderPlaced("1")));

                            assertThat(stored(parent)).containsExactly("OrderPlaced 1 1");
                            assertThat(parent.getBean(Listeners.class).immediate)
                                    .containsExactly("1");
                        }));
    }

    @Test
    void outboxesOfParentAndChildAreRefused() {
        outbox().run((parent) -> outbox().withParent(parent.getSourceApplicationContext())
                .run((child) -> assertThat(child)
                        .getFailure()
                        .hasMessageContaining("this context and a parent of it both have an outbox")));
        outbox().run((parent) -> outbox().withParent(parent.getSourceApplicationContext())
                .withPropertyValues("outbox.spring-events.enabled=false")
                .run((child) -> assertThat(child).hasNotFailed()));
    }

    private ApplicationContextRunner outbox() {
        return withoutPolling(Applications.on(database));
    }
}
