package dev.outbox.test.shop;

import org.springframework.jdbc.core.simple.JdbcClient;

/** Tables of the shop, for tests. */
final class ShopTables {

    private ShopTables() {}

    static long count(JdbcClient jdbc, String table) {
        return jdbc.sql("SELECT count(*) FROM " + table).query(Long.class).single();
    }

    static void empty(JdbcClient jdbc) {
        jdbc.sql("TRUNCATE orders, sent_mail, shipment, invoice, alarm").update();
    }
}
