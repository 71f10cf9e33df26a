package dev.outbox.spring.guides;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

/** An outbox written in an afternoon. */
class HandWritten {

    static final String TABLES = """
            CREATE TABLE orders (id text PRIMARY KEY, article text);
            CREATE TABLE order_event (
                id           bigserial PRIMARY KEY,
                order_id     text NOT NULL,
                payload      jsonb NOT NULL,
                created_at   timestamptz NOT NULL DEFAULT now(),
                processed_at timestamptz
            );
            """;

    private final JdbcClient jdbc;
    private final JsonMapper json;
    private final Mail mail;

    HandWritten(JdbcClient jdbc, JsonMapper json, Mail mail) {
        this.jdbc = jdbc;
        this.json = json;
        this.mail = mail;
    }

    record Row(long id, String payload) {}

    @Transactional
    public void place(String orderId, String article) {
        jdbc.sql("INSERT INTO orders (id, article) VALUES (?, ?)")
                .params(orderId, article)
                .update();
        jdbc.sql("INSERT INTO order_event (order_id, payload) VALUES (?, CAST(? AS jsonb))")
                .params(orderId, json.writeValueAsString(new OrderPlaced(orderId, article)))
                .update();
    }

    @Scheduled(fixedDelay = 1000)
    @Transactional
    public void poll() {
        List<Row> rows = jdbc.sql("SELECT id, payload FROM order_event WHERE processed_at IS NULL"
                        + " ORDER BY id LIMIT 50 FOR UPDATE SKIP LOCKED")
                .query(Row.class)
                .list();
        for (Row row : rows) {
            mail.confirm(json.readValue(row.payload(), OrderPlaced.class));
            jdbc.sql("UPDATE order_event SET processed_at = now() WHERE id = ?")
                    .param(row.id())
                    .update();
        }
    }
}
