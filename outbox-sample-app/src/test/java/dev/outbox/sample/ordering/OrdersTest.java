package dev.outbox.sample.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleTest;
import dev.outbox.sample.ordering.Orders.PlaceOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

@SampleTest
class OrdersTest {

    @Autowired
    private Orders orders;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void versionOfTheOrderIsTheSequenceOfItsEvent() {
        transaction.executeWithoutResult((status) -> {
            status.setRollbackOnly();
            String order = orders.place(new PlaceOrder("desk")).id();
            jdbc.sql("UPDATE ordering.orders SET version = 41 WHERE id = :id")
                    .param("id", order)
                    .update();

            orders.pay(order);

            assertThat(sequencesOf(order)).containsExactly(1L, 42L);
        });
    }

    private List<Long> sequencesOf(String order) {
        return jdbc.sql("SELECT aggregate_seq FROM events.outbox WHERE aggregate_id = :id ORDER BY id")
                .param("id", order)
                .query(Long.class)
                .list();
    }
}
