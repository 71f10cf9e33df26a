package dev.outbox.internal.runtime;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class PublishToHandlerTest {

    @Test
    void committedEventReachesItsHandlersAndBecomesPublished() {
        List<Integer> placed = new CopyOnWriteArrayList<>();
        List<String> recorded = new CopyOnWriteArrayList<>();
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.handler(HandlerDefinition.of(
                            "place", OrderPlaced.class, (event, envelope) -> placed.add(event.number())))
                    .handler("record", "*", (envelope) -> recorded.add(envelope.eventType()))
                    .start();

            EventEnvelope first = outbox.publish("1", new OrderPlaced(7));
            EventEnvelope second = outbox.publish("1", new OrderPaid(8));

            assertThat(outbox.event(second)).becomesPublished();
            assertThat(outbox.event(first)).isPublished();
            assertThat(placed).containsExactly(7);
            assertThat(recorded).containsExactly("OrderPlaced", "OrderPaid");
            assertThat(first.sequence()).isEqualTo(1);
            assertThat(second.sequence()).isEqualTo(2);
            assertThat(outbox.unpublished()).isZero();
            assertThat(outbox.claims()).isZero();
        }
    }
}
