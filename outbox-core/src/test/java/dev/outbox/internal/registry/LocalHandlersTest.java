package dev.outbox.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventType;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class LocalHandlersTest {

    @EventType(value = "OrderPlaced", version = 2)
    record NewOrderPlaced(int number) {}

    @EventType(value = "OrderPlaced", copy = true)
    record ShortOrderPlaced() {}

    static final class Elsewhere {

        record OrderPlaced(String customer) {}
    }

    @Test
    void findsHandlersByEventType() {
        LocalHandlers handlers = new LocalHandlers(List.of(
                typed("placed", OrderPlaced.class),
                typed("paid", OrderPaid.class),
                any("audit", "*"),
                any("both", "OrderPlaced", "OrderPaid")));

        assertThat(handlers.subscribersOf(event("OrderPlaced")))
                .extracting(HandlerDefinition::id)
                .containsExactly("placed", "audit", "both");
        assertThat(handlers.subscribersOf(event("OrderShipped")))
                .extracting(HandlerDefinition::id)
                .containsExactly("audit");
        assertThat(handlers.eventTypes()).containsEntry("placed", Set.of("OrderPlaced"));
        assertThat(handlers.find("unknown")).isNull();
    }

    @Test
    void refusesTwoClassesOfOneTypeWithBothNames() {
        assertThatThrownBy(() -> new LocalHandlers(
                        List.of(typed("mail", OrderPlaced.class), typed("stock", Elsewhere.OrderPlaced.class))))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContainingAll(
                        "mail of " + OrderPlaced.class.getName(),
                        "stock of " + Elsewhere.OrderPlaced.class.getName(),
                        "copy = true");
    }

    @Test
    void handlersOfOneClassOrOfNamedTypesShareAType() {
        LocalHandlers handlers = new LocalHandlers(List.of(
                typed("mail", OrderPlaced.class),
                typed("stock", OrderPlaced.class),
                HandlerDefinition.of(
                        "view", Set.of("OrderPlaced"), Elsewhere.OrderPlaced.class, (event, envelope) -> {})));

        assertThat(handlers.subscribersOf(event("OrderPlaced"))).hasSize(3);
        assertThat(handlers.payloadClassOf("OrderPlaced")).isEqualTo(OrderPlaced.class);
    }

    @Test
    void copyOfAContractSharesItsType() {
        LocalHandlers handlers =
                new LocalHandlers(List.of(typed("full", OrderPlaced.class), typed("short", ShortOrderPlaced.class)));

        assertThat(handlers.subscribersOf(event("OrderPlaced"))).hasSize(2);
    }

    @Test
    void refusesDuplicateIds() {
        assertRefused("'twice'", typed("twice", OrderPlaced.class), typed("twice", OrderPaid.class));
    }

    @Test
    void refusesTwoVersionsOfAType() {
        assertRefused("version 2", typed("old", OrderPlaced.class), typed("new", NewOrderPlaced.class));
    }

    @Test
    void refusesInvalidIdsAndTypes() {
        assertRefused("handler id", any(" ", "OrderPlaced"));
        assertRefused("handler id", any("x".repeat(256), "OrderPlaced"));
        assertRefused("handler id", any("a\0", "OrderPlaced"));
        assertRefused("must start with a letter", any("a", "1order"));
        assertRefused("must start with a letter", any("a", "order placed"));
        assertRefused("at most 255 characters", any("a", "a".repeat(256)));
        assertRefused("no event type", HandlerDefinition.of("a", Set.of(), (envelope) -> {}));
        assertRefused("no event type", typed("a", JsonNode.class));
        assertRefused(
                "every event type", HandlerDefinition.of("a", Set.of("*"), OrderPlaced.class, (event, envelope) -> {}));
    }

    private static void assertRefused(String message, HandlerDefinition... definitions) {
        assertThatThrownBy(() -> new LocalHandlers(List.of(definitions)))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining(message);
    }

    private static Subscription event(String type) {
        return Subscription.of(type, "order", "default", false);
    }

    private static <T> HandlerDefinition typed(String id, Class<T> type) {
        return HandlerDefinition.of(id, type, (event, envelope) -> {});
    }

    private static HandlerDefinition any(String id, String... types) {
        return HandlerDefinition.of(id, Set.of(types), (envelope) -> {});
    }
}
