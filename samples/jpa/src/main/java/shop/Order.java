package shop;

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

    private String invoice;

    private String receipt;

    protected Order() {}

    Order(String id) {
        this.id = id;
    }

    public Long getVersion() {
        return version;
    }

    public String getReceipt() {
        return receipt;
    }

    Order pay(String invoice) {
        this.invoice = invoice;
        registerEvent(new OrderPaid(id, invoice, this));
        return this;
    }

    void writeReceipt() {
        receipt = "Receipt for " + invoice;
    }
}
