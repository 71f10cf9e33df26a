package dev.outbox.sample.events;

import java.time.Instant;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/** What happens to orders: published by ordering, about the aggregate {@code order}, numbered with the order's version. */
@JsonNaming(SnakeCaseStrategy.class)
public sealed interface OrderEvent {

    /** An order was placed. */
    record OrderPlaced(String item) implements OrderEvent {}

    /** Another item is to be delivered than the one ordered first. */
    record OrderItemChanged(String item) implements OrderEvent {}

    /** An order was paid. */
    record OrderPaid(String item, Instant paidAt) implements OrderEvent {}

    /** An order was canceled before it was paid. */
    record OrderCanceled(String reason) implements OrderEvent {}
}
