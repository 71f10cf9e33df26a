package dev.outbox.test.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
class Customer {

    @Id
    private String name;

    private boolean greeted;

    protected Customer() {}

    Customer(String name) {
        this.name = name;
    }

    void greet() {
        greeted = true;
    }

    boolean isGreeted() {
        return greeted;
    }
}
