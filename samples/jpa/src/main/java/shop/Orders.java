package shop;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Orders {

    private final OrderRepository orders;

    Orders(OrderRepository orders) {
        this.orders = orders;
    }

    @Transactional
    public void place(String orderId) {
        orders.save(new Order(orderId));
    }

    /** The repository publishes the events that the order has registered. */
    @Transactional
    public void pay(String orderId, String invoice) {
        Order order = orders.findById(orderId).orElseThrow();
        orders.save(order.pay(invoice));
    }
}
