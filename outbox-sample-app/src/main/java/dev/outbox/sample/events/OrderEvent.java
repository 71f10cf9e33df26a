package dev.outbox.sample.events;

import java.time.Instant;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/** Events about orders: published by ordering, aggregate {@code order}, with the order's version as the sequence. */
@JsonNaming(SnakeCaseStrategy.class)
public sealed interface OrderEvent {

    /** An order was placed. */
    record OrderPlaced(String item) implements OrderEvent {}

    /** The item of an order was changed. */
    record OrderItemChanged(String item) implements OrderEvent {}

    /** An order was paid. */
    record OrderPaid(String item, Instant paidAt) implements OrderEvent {}

    /** An order was canceled before it was paid. */
    record OrderCanceled(String reason) implements OrderEvent {}
}
