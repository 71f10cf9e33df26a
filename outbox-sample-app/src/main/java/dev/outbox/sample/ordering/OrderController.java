package dev.outbox.sample.ordering;

import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Orders over HTTP. */
@RestController
@RequestMapping("/orders")
final class OrderController {

    private final Orders orders;

    OrderController(Orders orders) {
        this.orders = orders;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    Order place(@Valid @RequestBody PlaceOrder request) {
        return orders.place(request.item());
    }

    @PutMapping("/{id}/item")
    Order changeItem(@PathVariable String id, @Valid @RequestBody PlaceOrder request) {
        return orders.changeItem(id, request.item());
    }

    @PostMapping("/{id}/payment")
    Order pay(@PathVariable String id) {
        return orders.pay(id);
    }

    @DeleteMapping("/{id}")
    Order cancel(@PathVariable String id) {
        return orders.cancel(id);
    }

    record PlaceOrder(@Name String item) {}
}
