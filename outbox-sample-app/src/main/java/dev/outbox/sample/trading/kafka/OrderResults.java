package dev.outbox.sample.trading.kafka;

import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.TradeEvent;
import dev.outbox.sample.trading.RemoteOrders;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/** Passes the events of orders to the service that took their signals. In one database, the execution itself updates the orders. */
@Component
@ConditionalOnProperty(name = "sample.service", havingValue = "web")
class OrderResults {

    private final RemoteOrders orders;

    OrderResults(RemoteOrders orders) {
        this.orders = orders;
    }

    @OutboxHandler(id = "trading.order-results", deduplicate = true)
    void orderChanged(TradeEvent event) {
        orders.follow(event);
    }
}
