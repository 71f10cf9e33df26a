package dev.outbox.test.shop;

import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Registration {

    private final Customers customers;
    private final OutboxPublisher outbox;

    Registration(Customers customers, OutboxPublisher outbox) {
        this.customers = customers;
        this.outbox = outbox;
    }

    @Transactional
    public void register(String name) {
        customers.save(new Customer(name));
        outbox.publish("customer", name, new CustomerRegistered(name));
    }

    @OutboxHandler(id = "greeting")
    @Transactional
    public void greet(CustomerRegistered event) {
        customers.findById(event.name()).orElseThrow().greet();
    }
}
