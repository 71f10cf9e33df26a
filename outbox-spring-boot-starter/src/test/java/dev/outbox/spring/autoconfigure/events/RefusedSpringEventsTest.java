package dev.outbox.spring.autoconfigure.events;

import static dev.outbox.spring.autoconfigure.Applications.stored;
import static dev.outbox.spring.autoconfigure.events.Shop.inTransaction;
import static dev.outbox.spring.autoconfigure.events.Shop.withoutPolling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.events.Shop.OrderPlaced;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class RefusedSpringEventsTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @AutoClose
    private final TestDatabase other = TestPostgres.shared().newDatabase();

    @Test
    void missingTransactionIsRefused() {
        application().run((context) -> {
            assertThatThrownBy(() -> context.publishEvent(new OrderPlaced("1")))
                    .isInstanceOf(InvalidTransactionException.class)
                    .hasMessageContaining("Spring event " + OrderPlaced.class.getName()
                            + " of order/1 is @Outboxed and was not stored: no transaction is active on this thread;"
                            + " publish inside the @Transactional method");
            assertThat(stored(context)).isEmpty();
        });
    }

    @Test
    void refusedEventLeavesTheTransactionUsable() {
        application().run((context) -> {
            inTransaction(context, () -> {
                assertThatThrownBy(() -> context.publishEvent(new Mistyped("1")))
                        .isInstanceOf(InvalidEventException.class)
                        .hasMessageContaining(
                                "aggregateId 'oderId' of @Outboxed " + Mistyped.class.getName() + " names no property");
                assertThatThrownBy(() -> context.publishEvent(new OrderPlaced(" ")))
                        .isInstanceOf(InvalidEventException.class)
                        .hasMessageContaining("aggregate id must not be missing or blank");
                context.publishEvent(new OrderPlaced("2"));
            });

            assertThat(stored(context)).containsExactly("OrderPlaced 2 1");
        });
    }

    /** Spring suppresses a ClassCastException that names the class of the event. */
    @Test
    void classCastExceptionIsNotLost() {
        application()
                .withBean(OutboxPublisher.class, Miscasting::new)
                .run((context) -> assertThatThrownBy(() -> context.publishEvent(new OrderPlaced("1")))
                        .isInstanceOf(InvalidEventException.class)
                        .hasMessageContaining("was not stored, because publishing failed with a ClassCastException")
                        .hasCauseInstanceOf(ClassCastException.class));
    }

    @Test
    void missingOutboxIsLoggedOnce(CapturedOutput output) {
        Applications.withoutDatabase()
                .withBean("one", DataSource.class, database::dataSource)
                .withBean("two", DataSource.class, other::dataSource)
                .run((context) -> {
                    context.publishEvent(new OrderPlaced("1"));
                    context.publishEvent(new OrderPlaced("2"));
                    context.publishEvent(new Shop.Unmarked("3"));

                    assertThat(output)
                            .containsOnlyOnce("stores no Spring events of " + OrderPlaced.class.getName()
                                    + ", because there are several DataSource beans, [one, two]")
                            .doesNotContain("Unmarked");
                });
    }

    private ApplicationContextRunner application() {
        return withoutPolling(Applications.on(database));
    }

    private static final class Miscasting implements OutboxPublisher {

        @Override
        public EventEnvelope publish(OutboxEvent event) {
            throw new ClassCastException("class " + event.payload().getClass().getName() + " cannot be cast");
        }

        @Override
        public List<EventEnvelope> publishAll(Collection<OutboxEvent> events) {
            throw new UnsupportedOperationException();
        }
    }

    @Outboxed(aggregateType = "order", aggregateId = "oderId")
    record Mistyped(String orderId) {}
}
