package dev.outbox.sample.trading.kafka;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/** Keeps the copies of orders in the service that took their signals up to date. */
@Component
@ConditionalOnProperty(name = "sample.service", havingValue = "web")
class OrderResults {

    private final OrderCopies copies;

    OrderResults(OrderCopies copies) {
        this.copies = copies;
    }

    @OutboxHandler(
            id = "trading.order-results",
            eventTypes = {
                "OrderAccepted",
                "OrderRejected",
                "OrderAttemptsExhausted",
                "OrderHalted",
                "OrderPartiallyFilled",
                "OrderFilled",
                "FillRefused"
            },
            deduplicate = true)
    void orderChanged(EventEnvelope event) {
        copies.replace(event.headers());
    }
}
