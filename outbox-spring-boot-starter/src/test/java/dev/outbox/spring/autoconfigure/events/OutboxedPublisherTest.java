package dev.outbox.spring.autoconfigure.events;

import static dev.outbox.spring.autoconfigure.Applications.stored;
import static dev.outbox.spring.autoconfigure.events.Shop.inTransaction;
import static dev.outbox.spring.autoconfigure.events.Shop.withoutPolling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.events.Shop.OrderPlaced;
import dev.outbox.spring.autoconfigure.events.Shop.Unmarked;
import dev.outbox.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class OutboxedPublisherTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void annotationDeterminesAggregateTypeAndVersion() {
        withoutPolling(Applications.on(database))
                .withPropertyValues("outbox.spring-events.enabled=false", "outbox.streams.changes.batch-size=1")
                .run((context) -> {
                    OutboxPublisher publisher = context.getBean(OutboxPublisher.class);
                    inTransaction(context, () -> {
                        publisher.publish(new OrderPlaced("1"));
                        publisher.publish((Object) OutboxEvent.of("order", "1", new OrderPlaced("1")));
                        publisher.publish(new OrderChanged("2", 7));
                        assertThat(publisher.publish(new OrderBilled("3")).schemaVersion())
                                .isEqualTo(2);
                    });
                    assertThat(stored(context))
                            .containsExactly(
                                    "OrderPlaced 1 1", "OrderPlaced 1 2", "OrderChanged 2 7", "order.billed 3 1");
                });
    }

    @Test
    void missingAnnotationAndOtherValuesThanItsOwnAreRefused() {
        OrderPlaced order = new OrderPlaced("1");
        OutboxEvent changed = OutboxEvent.of("change", "2", new OrderChanged("2", 7));
        publishNothing((publisher) -> {
            assertRefused(() -> publisher.publish(new Unmarked("1")), "is not @Outboxed");
            assertRefused(() -> publisher.publish("parcel", "1", order), "aggregate type order", "has parcel");
            assertRefused(() -> publisher.publish("order", "2", order), "aggregate id 1", "has 2");
            assertRefused(() -> publisher.publish(changed.withSequence(7)), "stream changes", "has none");
            assertRefused(() -> publisher.publish(changed.inStream("changes")), "sequence that of 'version'");
            assertRefused(
                    () -> publisher.publish(changed.inStream("changes").deliverAfter(Duration.ofDays(1))),
                    "a scheduled event cannot have",
                    "such as change-reminder");
            assertRefused(
                    () -> publisher.publishAll(
                            List.of(OutboxEvent.of("order", "1", order), OutboxEvent.of("order", "3", order))),
                    "aggregate id 1",
                    "has 3");
        });
    }

    private static void assertRefused(Runnable call, String... message) {
        assertThatThrownBy(call::run).isInstanceOf(InvalidEventException.class).hasMessageContainingAll(message);
    }

    private void publishNothing(Consumer<OutboxPublisher> work) {
        withoutPolling(Applications.on(database))
                .withPropertyValues("outbox.streams.changes.batch-size=1")
                .run((context) -> {
                    inTransaction(context, () -> work.accept(context.getBean(OutboxPublisher.class)));
                    assertThat(stored(context)).isEmpty();
                });
    }

    @Outboxed(aggregateType = "change", aggregateId = "orderId", stream = "changes", sequence = "version")
    record OrderChanged(String orderId, long version) {}

    @Outboxed(aggregateType = "order", aggregateId = "orderId", eventType = "order.billed", version = 2)
    record OrderBilled(String orderId) {}
}
