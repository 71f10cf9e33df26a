package shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
class Customer {

    @Id String name;

    boolean greeted;
}
