package dev.outbox.internal.payload;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.HandlerDefinition;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.registry.LocalHandlers;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Handlers whose payload type is sealed. */
class SealedPayloadTest {

    sealed interface OrderEvent permits Placed, Shipped {}

    record Placed(int number) implements OrderEvent {}

    @EventType("order.shipped.v1")
    record Shipped(String carrier) implements OrderEvent {}

    interface Open {}

    static final class Elsewhere {

        record Placed(String customer) {}
    }

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final List<Object> handled = new CopyOnWriteArrayList<>();

    @Test
    void handlerReceivesEveryPermittedRecord() {
        AtomicBoolean failed = new AtomicBoolean();
        List<Object> inBatches = new CopyOnWriteArrayList<>();
        outbox.handler(HandlerDefinition.of("sealed", OrderEvent.class, (event, envelope) -> {
                    if (event instanceof Shipped && failed.compareAndSet(false, true)) {
                        throw new IllegalStateException("on purpose");
                    }
                    handled.add(event);
                }))
                .handler(HandlerDefinition.<OrderEvent>ofBatch(
                        "batch",
                        Set.of(),
                        OrderEvent.class,
                        (batch, events, outcome, context) -> inBatches.addAll(batch)))
                .retry(TestOutbox.AT_ONCE)
                .start();

        EventEnvelope placed = outbox.publish("1", new Placed(7));
        EventEnvelope shipped = outbox.publish("1", new Shipped("DHL"));

        assertThat(placed.eventType()).isEqualTo("Placed");
        assertThat(shipped.eventType()).isEqualTo("order.shipped.v1");
        assertThat(outbox.event(shipped)).becomesPublished();
        assertThat(handled).containsExactly(new Placed(7), new Shipped("DHL"));
        assertThat(inBatches).isEqualTo(handled);
        assertThat(outbox.runtime().eventTypesByHandler())
                .containsEntry("sealed", Set.of("Placed", "order.shipped.v1"));
    }

    @Test
    void handlerMayNameSomeOfThePermittedTypes() {
        outbox.handler(HandlerDefinition.of(
                        "some", Set.of("Placed"), OrderEvent.class, (event, envelope) -> handled.add(event)))
                .start();

        outbox.publish("1", new Placed(7));
        EventEnvelope shipped = outbox.publish("1", new Shipped("DHL"));

        assertThat(outbox.event(shipped)).becomesPublished();
        assertThat(handled).containsExactly(new Placed(7));
    }

    @Test
    void secondClassOfAPermittedTypeIsRefused() {
        HandlerDefinition sealed = HandlerDefinition.of("sealed", OrderEvent.class, (event, envelope) -> {});
        outbox.handler(sealed).start();

        assertThatThrownBy(() -> outbox.publish("1", new Elsewhere.Placed("Ada")))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("handlers of this application take " + Placed.class.getName());
        assertRefused(
                sealed,
                HandlerDefinition.of("other", Elsewhere.Placed.class, (event, envelope) -> {}),
                "sealed of " + OrderEvent.class.getName(),
                "with " + Placed.class.getName(),
                "other of ");
    }

    @Test
    void refusesParametersOfUnknownEventTypes() {
        assertRefused(
                HandlerDefinition.of("open", Open.class, (event, envelope) -> {}),
                null,
                "handler 'open' takes " + Open.class.getName() + ", which is an interface",
                "make the type sealed",
                "a JsonNode or an EventEnvelope");
        assertRefused(
                HandlerDefinition.of("named", Set.of("Plaecd"), OrderEvent.class, (event, envelope) -> {}),
                null,
                "handler 'named' names event type 'Plaecd'",
                "[Placed, order.shipped.v1]");
        assertRefused(
                HandlerDefinition.of("all", Set.of("*"), OrderEvent.class, (event, envelope) -> {}),
                null,
                "handler 'all' subscribes to every event type");
    }

    private static void assertRefused(
            HandlerDefinition handler, @Nullable HandlerDefinition other, String... messages) {
        List<HandlerDefinition> handlers = other == null ? List.of(handler) : List.of(handler, other);
        assertThatThrownBy(() -> new LocalHandlers(handlers))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContainingAll(messages);
    }
}
