package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outbox.BatchOutcome;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

@OutboxTest({Orders.class, Warehouse.class})
@Import(IdempotencyTest.Labels.class)
class IdempotencyTest {

    @Autowired
    private Orders orders;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private OutboxTester outbox;

    /** Handlers that fail at the second delivery, change a row, and drain. */
    static class Labels {

        private final JdbcClient jdbc;
        private final OutboxTester outbox;
        private final OutboxPublisher publisher;
        private final TransactionOperations transactions;

        Labels(JdbcClient jdbc, OutboxTester outbox, OutboxPublisher publisher, TransactionOperations transactions) {
            this.jdbc = jdbc;
            this.outbox = outbox;
            this.publisher = publisher;
            this.transactions = transactions;
        }

        @OutboxHandler(id = "reminder")
        void remind(OrderPlaced order) {
            transactions.executeWithoutResult((status) ->
                    publisher.publish(OutboxEvent.of("order", order.orderId(), new OrderShipped(order.orderId()))
                            .deliverAfter(Duration.ofDays(1))));
        }

        @OutboxHandler(id = "label")
        void label(OrderPlaced order) {
            jdbc.sql("INSERT INTO orders (id, article) VALUES (?, 'label')")
                    .param("label-" + order.orderId())
                    .update();
        }

        @OutboxHandler(id = "counter")
        void count(StockCounted counted) {
            jdbc.sql("UPDATE orders SET article = article || '!'").update();
        }

        @OutboxHandler(id = "total")
        void total(StockCounted counted) {
            jdbc.sql("UPDATE totals SET total = total + 1").update();
        }

        @OutboxHandler(id = "batch")
        void batch(List<StockCounted> counted, BatchOutcome outcome) {
            counted.forEach((event) -> outcome.failed(event, new IllegalStateException("refused")));
        }

        @OutboxHandler(id = "greedy")
        void drain(OrderShipped order) {
            outbox.drain();
        }
    }

    /** The handlers "batch" and "greedy" fail in every test that reaches them. */
    @BeforeEach
    void emptyTables() {
        outbox.expectFailures();
        ShopTables.empty(jdbc);
        jdbc.sql(
                        "DROP TABLE IF EXISTS totals; CREATE TABLE totals (t text, total int); INSERT INTO totals VALUES ('x', 0)")
                .update();
    }

    @Test
    void addedRowsAndEventsAreFound() {
        orders.place("1", "lamp");
        outbox.drain();

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> outbox.verifyIdempotent("warehouse"))
                .withMessageContaining("handler 'warehouse' is not idempotent; delivering 1 event once more led to:")
                .withMessageContaining("public.shipment: + (1)")
                .withMessageContaining("the outbox: + OrderShipped of order/1#3");
    }

    @Test
    void scheduledEventsAreFound() {
        orders.place("1", "lamp");
        outbox.drain();

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> outbox.verifyIdempotent("reminder"))
                .withMessageContaining("the outbox: + OrderShipped of order/1, scheduled");
    }

    @Test
    void changedRowsAreFound() {
        orders.place("1", "lamp");
        orders.count("lamp");
        outbox.drain();

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> outbox.verifyIdempotent("counter"))
                .withMessageContaining("public.orders: - (1,lamp!)")
                .withMessageContaining("public.orders: + (1,lamp!!)");
    }

    @Test
    void failureOfTheSecondDeliveryIsFound() {
        orders.place("1", "lamp");
        outbox.drain();

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> outbox.verifyIdempotent("label"))
                .withMessageContaining("failed with DuplicateKeyException")
                .withMessageNotContaining("public.");
        assertThat(outbox).published(OrderPlaced.class).isHandled();
    }

    @Test
    void handlerMustNotDrain() {
        orders.ship("1");

        assertThat(outbox.drain().retried()).isOne();
        assertThat(outbox)
                .published(OrderShipped.class)
                .withError("IllegalStateException: drain() is running; a handler must not call it");
    }

    @Test
    void eventsThatABatchRefusesAreNotHandled() {
        orders.count("lamp");
        outbox.drain();

        assertThatIllegalStateException()
                .isThrownBy(() -> outbox.verifyIdempotent("batch"))
                .withMessageContaining("handler 'batch' has handled no event in this test");
    }

    /** The name of a column hides that of the row. */
    @Test
    void changesOfATableWithAnyColumnAreFound() {
        orders.count("lamp");
        outbox.drain();

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> outbox.verifyIdempotent("total"))
                .withMessageContaining("public.totals: - (x,1)")
                .withMessageContaining("public.totals: + (x,2)");
    }

    @Test
    void failedEventsAreNotDeliveredAgain() {
        outbox.failNext("warehouse", new IllegalStateException("closed"));
        orders.place("1", "lamp");
        outbox.drain();

        assertThatIllegalStateException().isThrownBy(() -> outbox.verifyIdempotent("warehouse"));
        assertThat(ShopTables.count(jdbc, "shipment")).isZero();
    }
}
