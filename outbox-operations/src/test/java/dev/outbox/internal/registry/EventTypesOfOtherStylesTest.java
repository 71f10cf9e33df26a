package dev.outbox.internal.registry;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.EventSelection;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Event types with dots, hyphens, underscores and small letters, on the whole way of an event. */
class EventTypesOfOtherStylesTest {

    private static final String LONGEST = "a.".repeat(127) + "a";
    private static final List<String> TYPES =
            List.of("order.placed.v1", "order-paid", "orderShipped", "ORDER_LOST", "orderplaced", LONGEST);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final Set<String> failed = ConcurrentHashMap.newKeySet();

    @Test
    void eventsAreDeliveredRetriedFoundAndReplayedByTheirExactType() {
        outbox.handler(HandlerDefinition.of("all", Set.copyOf(TYPES), this::failOnce))
                .handler("one", "order.placed.v1", (envelope) -> handled.add("one " + envelope.eventType()))
                .retry(TestOutbox.AT_ONCE)
                .start();

        EventEnvelope last = publish("orderXplacedXv1");
        for (String type : TYPES) {
            last = publish(type);
        }

        assertThat(outbox.event(last)).becomesPublished();
        assertThat(handled)
                .containsExactlyInAnyOrder(
                        "one order.placed.v1",
                        "all order.placed.v1",
                        "all order-paid",
                        "all orderShipped",
                        "all ORDER_LOST",
                        "all orderplaced",
                        "all " + LONGEST);
        assertThat(failed).containsExactlyInAnyOrderElementsOf(TYPES);
        assertThat(Operator.of(outbox)
                        .inspector()
                        .findEvents(new EventSelection(null, null, "order.placed.v1", null, null, null), 10)
                        .events())
                .hasSize(1);
        assertThat(Operator.of(outbox)
                        .operations()
                        .count(DeliverySelection.all().ofEventType("order-paid"))
                        .value())
                .isZero();

        handled.clear();
        Operator.of(outbox)
                .replays()
                .start(ReplayRequest.of("all").eventTypes("order.placed.v1", LONGEST), "test", "replay");

        await().untilAsserted(
                        () -> assertThat(handled).containsExactlyInAnyOrder("all order.placed.v1", "all " + LONGEST));
    }

    private void failOnce(EventEnvelope envelope) {
        if (failed.add(envelope.eventType())) {
            throw new IllegalStateException("on purpose");
        }
        handled.add("all " + envelope.eventType());
    }

    private EventEnvelope publish(String type) {
        return outbox.publish(OutboxEvent.of("order", "1", new OrderPlaced(1)).withEventType(type));
    }
}
