package shop;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.outbox.Outboxed;
import org.jspecify.annotations.Nullable;

/** The version of the order is the sequence of the event. */
@Outboxed(aggregateType = "order", aggregateId = "orderId", sequence = "order.version")
public record OrderPaid(
        String orderId,
        String invoice,
        @JsonIgnore @Nullable Order order) {}
