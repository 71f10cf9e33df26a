package dev.outbox.sample.ordering;

import dev.outbox.sample.demo.Traffic;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.stereotype.Component;

/** Places orders and pays them. */
@Component
final class OrderTraffic implements Traffic {

    private final Queue<String> unpaid = new ConcurrentLinkedQueue<>();
    private final Orders orders;

    OrderTraffic(Orders orders) {
        this.orders = orders;
    }

    @Override
    public void next() {
        String order = unpaid.poll();
        if (order == null) {
            unpaid.add(orders.place("teapot").id());
        } else {
            orders.pay(order);
        }
    }
}
