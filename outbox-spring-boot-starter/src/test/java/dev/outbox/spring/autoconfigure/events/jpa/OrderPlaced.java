package dev.outbox.spring.autoconfigure.events.jpa;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.outbox.Outboxed;
import org.jspecify.annotations.Nullable;

@Outboxed(aggregateType = "order", aggregateId = "orderId", sequence = "order.version")
record OrderPlaced(String orderId, @JsonIgnore @Nullable Order order) {}
