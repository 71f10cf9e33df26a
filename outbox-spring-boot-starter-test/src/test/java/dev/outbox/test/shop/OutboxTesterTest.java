package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.listener.OutboxListener.Result;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.test.DrainResult;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

@OutboxTest({Orders.class, Mail.class, Warehouse.class, Invoices.class, Counting.class})
class OutboxTesterTest {

    @Autowired
    private Orders orders;

    @Autowired
    private Counting counting;

    @Autowired
    private Replays replays;

    @Autowired
    private OutboxPublisher publisher;

    @Autowired
    private TransactionOperations transactions;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private OutboxTester outbox;

    @BeforeEach
    void emptyTables() {
        ShopTables.empty(jdbc);
    }

    @Test
    void drainsFollowUpEventsOfEveryStreamOnTheCallingThread() {
        orders.place("1", "lamp");
        orders.count("lamp");

        DrainResult drained = outbox.drain();

        assertThat(counting.thread).isSameAs(Thread.currentThread());
        assertThat(drained.attempts())
                .containsExactlyInAnyOrder(
                        new DrainResult.Attempt("counting", "StockCounted", Result.SUCCESS),
                        new DrainResult.Attempt("mail", "OrderPlaced", Result.SUCCESS),
                        new DrainResult.Attempt("warehouse", "OrderPlaced", Result.SUCCESS),
                        new DrainResult.Attempt("invoice", "OrderShipped", Result.SUCCESS));
        assertThat(outbox).isDrained().hasNoDeadLetters();
        assertThat(ShopTables.count(jdbc, "invoice")).isOne();
    }

    @Test
    void deliversNothingByItself() {
        orders.place("1", "lamp");

        assertThat(outbox).published(OrderPlaced.class).isPending().notHandledBy("mail");
        assertThat(outbox.drain().handled()).isEqualTo(3);
        assertThat(outbox.drain().attempts()).isEmpty();
    }

    @Test
    void drainsMoreThanABatch() {
        for (int i = 0; i < 120; i++) {
            orders.count("article-" + i);
        }

        assertThat(outbox.drain().handled()).isEqualTo(120);
    }

    @Test
    void retriesWhenItsTimeHasCome() {
        outbox.failNext("mail", new IllegalStateException("no connection"));
        orders.place("1", "lamp");

        assertThat(outbox.drain().retried()).isOne();
        assertThat(outbox)
                .published(OrderPlaced.class)
                .isRetrying()
                .afterAttempts(1)
                .withError("IllegalStateException: no connection")
                .handledBy("warehouse")
                .notHandledBy("mail");
        assertThat(outbox.drain().attempts()).isEmpty();

        outbox.advance(Duration.ofSeconds(30));
        assertThat(outbox.drain().attempts()).isEmpty();

        outbox.advance(Duration.ofSeconds(30));
        assertThat(outbox.drain().attempts())
                .containsExactly(new DrainResult.Attempt("mail", "OrderPlaced", Result.SUCCESS));
        assertThat(outbox).published(OrderPlaced.class).isHandled().handledBy("mail");
    }

    @Test
    void deadLetterIsReportedWithoutWaiting() {
        orders.ship("1");
        for (int i = 1; i <= 3; i++) {
            outbox.failNext("invoice", new IllegalStateException("no printer"));
        }

        outbox.drain();
        outbox.advance(Duration.ofMinutes(1)).drain();
        DrainResult last = outbox.advance(Duration.ofMinutes(5)).drain();

        assertThat(last.dead()).isOne();
        assertThat(outbox)
                .published(OrderShipped.class)
                .forAggregate("order", "1")
                .isDead()
                .afterAttempts(3);
        assertThat(ShopTables.count(jdbc, "alarm")).isOne();
        assertThat(outbox.advance(Duration.ofDays(1)).drain().attempts()).isEmpty();
    }

    @Test
    void openCircuitIsProbedWhenTimePasses() {
        outbox.failNext("invoice", new IllegalStateException("down"))
                .failNext("invoice", new IllegalStateException("down"));
        List.of("1", "2", "3").forEach(orders::ship);

        assertThat(outbox.drain().attempts()).hasSize(2);
        assertThat(outbox.advance(Duration.ofSeconds(15)).drain().attempts()).isEmpty();
        assertThat(outbox.advance(Duration.ofSeconds(15)).drain().attempts())
                .containsExactly(new DrainResult.Attempt("invoice", "OrderShipped", Result.SUCCESS));
    }

    @Test
    void advanceMakesScheduledEventsDue() {
        transactions.executeWithoutResult((status) -> publisher.publish(
                OutboxEvent.of("order", "7", new OrderShipped("7")).deliverAfter(Duration.ofHours(2))));

        assertThat(outbox.advance(Duration.ofHours(1)).drain().attempts()).isEmpty();
        assertThat(outbox.advance(Duration.ofHours(1)).drain().attempts()).hasSize(1);
        assertThat(outbox).published(OrderShipped.class).handledBy("invoice");
    }

    @Test
    void replaysAreDrained() {
        orders.place("1", "lamp");
        outbox.drain();

        long replay = replays.start(ReplayRequest.of("mail"), "test", "try");

        assertThat(outbox.drain().attempts())
                .containsExactly(new DrainResult.Attempt("mail", "OrderPlaced", Result.SUCCESS));
        assertThat(replays.find(replay).orElseThrow().status().name()).isEqualTo("DONE");
    }

    @Test
    void unknownHandlerIsRefusedWithTheKnownOnes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> outbox.failNext("post", new IllegalStateException()))
                .withMessageContaining("no handler 'post', but [counting, invoice, mail, warehouse]");
        assertThatIllegalArgumentException().isThrownBy(() -> outbox.advance(Duration.ofSeconds(-1)));
    }

    @Test
    void idempotentHandlersPass() {
        orders.place("1", "lamp");
        outbox.drain();

        outbox.verifyIdempotent("mail").verifyIdempotent("invoice");

        assertThat(ShopTables.count(jdbc, "sent_mail")).isOne();
        assertThat(ShopTables.count(jdbc, "invoice")).isOne();
    }

    @Test
    void handlerWithoutEventCannotBeVerified() {
        assertThatIllegalStateException()
                .isThrownBy(() -> outbox.verifyIdempotent("mail"))
                .withMessageContaining("has handled no event in this test");
    }
}
