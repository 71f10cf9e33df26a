package shop;

import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
@Transactional
class Registration {

    @Autowired Customers customers;

    @Autowired OutboxPublisher outbox;

    public void register(Customer customer) {
        customers.save(customer);
        outbox.publish("customer", customer.name, new CustomerRegistered(customer.name));
    }

    @OutboxHandler(id = "greeting")
    public void greet(CustomerRegistered event) {
        customers.findById(event.name()).orElseThrow().greeted = true;
    }
}
