package dev.outbox.spring.autoconfigure.events.jpa;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Checkout {

    private final Orders orders;

    Checkout(Orders orders) {
        this.orders = orders;
    }

    @Transactional
    public void pay(String orderId, String invoice) {
        Order order = orders.findById(orderId).orElseThrow();
        orders.save(order.pay(invoice));
    }
}
