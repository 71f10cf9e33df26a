package dev.outbox.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventType;
import dev.outbox.Outboxed;
import org.junit.jupiter.api.Test;

class DeclaredTypeTest {

    @Test
    void outboxedNamesTypeAndVersion() {
        assertThat(DeclaredType.of(Placed.class)).isEqualTo(new DeclaredType("order.placed", 3, false));
        assertThat(DeclaredType.of(Paid.class)).isEqualTo(new DeclaredType("Paid", 1, false));
    }

    @Test
    void eventTypeDecidesWhereBothArePresent() {
        assertThat(DeclaredType.of(Shipped.class)).isEqualTo(new DeclaredType("order.shipped", 2, true));
    }

    @Test
    void subclassHasItsOwnName() {
        assertThat(DeclaredType.of(Special.class)).isEqualTo(new DeclaredType("Special", 1, false));
    }

    @Outboxed(aggregateType = "order", aggregateId = "id", eventType = "order.placed", version = 3)
    record Placed(String id) {}

    @Outboxed(aggregateType = "order", aggregateId = "id")
    record Paid(String id) {}

    @EventType(value = "order.shipped", version = 2, copy = true)
    @Outboxed(aggregateType = "order", aggregateId = "id", eventType = "ignored", version = 9)
    record Shipped(String id) {}

    @Outboxed(aggregateType = "order", aggregateId = "id", eventType = "order.general", version = 2)
    static class General {}

    static class Special extends General {}
}
