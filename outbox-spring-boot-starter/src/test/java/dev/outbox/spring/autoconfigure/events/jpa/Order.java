package dev.outbox.spring.autoconfigure.events.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import org.springframework.data.domain.AbstractAggregateRoot;

@Entity
@Table(name = "orders")
public class Order extends AbstractAggregateRoot<Order> {

    @Id
    private String id;

    @Version
    private Long version;

    @Column(unique = true)
    private String invoice;

    protected Order() {}

    public static Order place(String id) {
        Order order = new Order();
        order.id = id;
        order.registerEvent(new OrderPlaced(id, order));
        return order;
    }

    public Order pay(String invoice) {
        this.invoice = invoice;
        registerEvent(new OrderPaid(id, invoice, this));
        return this;
    }

    public Long getVersion() {
        return version;
    }

    Order bill(String invoice) {
        this.invoice = invoice;
        return this;
    }

    Order payTwice(String invoice) {
        return pay(invoice).pay(invoice);
    }

    Order payWithCopiedVersion(String invoice) {
        this.invoice = invoice;
        registerEvent(new OrderBilled(id, version));
        return this;
    }
}
