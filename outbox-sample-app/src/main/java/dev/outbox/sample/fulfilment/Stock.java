package dev.outbox.sample.fulfilment;

import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.OrderEvent.OrderPaid;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/** Counts sold items. A duplicate would go unnoticed, so the handler deduplicates. */
@Service
class Stock {

    private static final String SELL = """
            INSERT INTO fulfilment.sales (item, sold)
            VALUES (:item, 1)
            ON CONFLICT (item) DO UPDATE
               SET sold = sales.sold + 1
            """;

    private static final String SOLD = """
            SELECT coalesce(sum(sold), 0)
              FROM fulfilment.sales
             WHERE item = :item
            """;

    private final JdbcClient jdbc;

    Stock(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @OutboxHandler(id = "fulfilment.stock", deduplicate = true)
    void orderPaid(OrderPaid event) {
        jdbc.sql(SELL).param("item", event.item()).update();
    }

    long sold(String item) {
        return jdbc.sql(SOLD).param("item", item).query(Long.class).single();
    }
}
