package dev.outbox.sample.fulfilment;

import dev.outbox.sample.web.NotFoundException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Fulfilment over HTTP. */
@RestController
final class FulfilmentController {

    private static final String FIND = """
            SELECT f.order_id, f.item, f.status, c.last_seq, count(p.key) AS parcels, sum(p.requests) AS courier_requests
              FROM fulfilment.fulfilments f
              JOIN fulfilment.aggregate_checkpoint c ON c.aggregate_type = 'order' AND c.aggregate_id = f.order_id
              LEFT JOIN fulfilment.parcels p ON p.order_id = f.order_id
             WHERE f.order_id = :orderId
             GROUP BY f.order_id, f.item, f.status, c.last_seq
            """;

    private final JdbcClient jdbc;
    private final Stock stock;

    FulfilmentController(JdbcClient jdbc, Stock stock) {
        this.jdbc = jdbc;
        this.stock = stock;
    }

    @GetMapping("/fulfilments/{orderId}")
    Fulfilment find(@PathVariable String orderId) {
        return jdbc.sql(FIND)
                .param("orderId", orderId)
                .query(Fulfilment.class)
                .optional()
                .orElseThrow(() -> new NotFoundException("fulfilment", orderId));
    }

    @GetMapping("/sales/{item}")
    Sales sold(@PathVariable String item) {
        return new Sales(item, stock.sold(item));
    }

    record Sales(String item, long sold) {}
}
