package dev.outbox.spring.autoconfigure.events.jpa;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.outbox.Outboxed;
import org.jspecify.annotations.Nullable;

@Outboxed(aggregateType = "order", aggregateId = "orderId", sequence = "order.version")
public record OrderPaid(
        String orderId,
        String invoice,
        @JsonIgnore @Nullable Order order) {}
