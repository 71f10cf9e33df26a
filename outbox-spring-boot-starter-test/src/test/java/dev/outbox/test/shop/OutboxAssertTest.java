package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

@OutboxTest({Orders.class, Mail.class})
class OutboxAssertTest {

    @Autowired
    private Orders orders;

    @Autowired
    private OutboxPublisher publisher;

    @Autowired
    private TransactionOperations transactions;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private OutboxTester outbox;

    @BeforeEach
    void placeTwoOrders() {
        ShopTables.empty(jdbc);
        orders.place("1", "lamp");
        orders.place("2", "table");
    }

    @Test
    void chainSelectsTheEventsThatMeetAllOfIt() {
        outbox.drain();
        orders.place("3", "chair");

        assertThat(outbox).published(OrderPlaced.class).times(3);
        assertThat(outbox).published(OrderPlaced.class).isHandled().times(2);
        assertThat(outbox)
                .published(OrderPlaced.class)
                .isPending()
                .forAggregate("order", "3")
                .times(1);
        assertThat(outbox)
                .published(OrderPlaced.class)
                .forAggregate("order", "2")
                .handledBy("mail")
                .withPayload(new OrderPlaced("2", "table"))
                .satisfies((order) -> assertThat(order.article()).startsWith("t"));
        assertThat(outbox)
                .published("OrderPlaced")
                .satisfies((json) -> assertThat(json.has("article")).isTrue());
    }

    @Test
    void messageListsTheEventsOfTheLastSelection() {
        assertFails(() -> assertThat(outbox)
                        .published(OrderPlaced.class)
                        .forAggregate("order", "2")
                        .handledBy("mail"))
                .withMessageMatching(
                        "(?s)Expected an event OrderPlaced of order/2 that mail has handled, but there is only:"
                                + "\n  OrderPlaced\\[id=.*aggregate=order/2#1] is PENDING"
                                + "\nCall drain\\(\\) to deliver what is PENDING.");
        assertFails(() -> assertThat(outbox).published(OrderShipped.class))
                .withMessageContaining("Expected an event OrderShipped, but there is only:")
                .withMessageContaining("aggregate=order/1#1] is PENDING");
        assertFails(() -> assertThat(outbox).isDrained())
                .withMessageContaining("Call drain() to deliver what is PENDING.");
        assertFails(() -> assertThat(outbox).published(OrderPlaced.class).times(3))
                .withMessageStartingWith("Expected an event OrderPlaced 3 times, but there are 2:\n");
    }

    @Test
    void messageTellsAttemptsAndErrors() {
        outbox.failNext("mail", new IllegalStateException("no connection"));
        outbox.drain();

        assertFails(() -> assertThat(outbox)
                        .published(OrderPlaced.class)
                        .forAggregate("order", "1")
                        .isDead())
                .withMessageContaining("#1] is RETRYING; mail is due at ")
                .withMessageContaining(
                        " after 1 attempt, the last of which failed with IllegalStateException: no connection");
        assertFails(() -> assertThat(outbox).isDrained()).withMessageContaining("mail is due at ");
        assertThat(outbox).hasNoDeadLetters();
    }

    @Test
    void eventThatNoHandlerTakesIsNotHandled() {
        transactions.executeWithoutResult((status) -> publisher.publish(
                OutboxEvent.of("order", "5", Map.of("number", 5)).withEventType("OrderForgotten")));
        outbox.drain();

        assertThat(outbox).published(OrderPlaced.class).isHandled().times(2);
        assertFails(() -> assertThat(outbox).published("OrderForgotten").isHandled())
                .withMessageContaining("that all its handlers, and at least one, have handled");
        assertFails(() -> assertThat(outbox).isDrained()).withMessageContaining("OrderForgotten");
    }

    @Test
    void unknownHandlerIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> assertThat(outbox).published(OrderPlaced.class).notHandledBy("mial"))
                .withMessageContaining("this test has no handler 'mial'");
    }

    @Test
    void payloadsAndHeadersAreCompared() {
        transactions.executeWithoutResult((status) -> publisher.publish(
                OutboxEvent.of("order", "4", new OrderPlaced("4", "sofa")).withHeader("tenant", "acme")));

        assertThat(outbox)
                .published(OrderPlaced.class)
                .withHeader("tenant", "acme")
                .times(1);
        assertFails(() -> assertThat(outbox).published(OrderPlaced.class).withHeader("tenant", "other"));
        assertFails(() -> assertThat(outbox).published(OrderPlaced.class).withPayload(new OrderPlaced("4", "bed")));
        assertFails(() -> assertThat(outbox)
                        .published(OrderPlaced.class)
                        .forAggregate("order", "4")
                        .satisfies((order) -> assertThat(order.article()).isEqualTo("bed")))
                .withMessageContaining("order/4#1] is PENDING does not meet the requirements")
                .withMessageContaining("bed");
    }

    @Test
    void emptyOutboxIsExplained() {
        assertFails(() -> assertThat(outbox).publishedNothing()).withMessageContaining("order/2#1] is PENDING");

        outbox.cleanUp();

        assertThat(outbox).publishedNothing().isDrained();
        assertFails(() -> assertThat(outbox).published(OrderPlaced.class))
                .withMessageContaining("Expected an event OrderPlaced, but the outbox has no event");
    }

    private static ThrowableAssertAlternative<AssertionError> assertFails(ThrowingCallable assertion) {
        return assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion);
    }
}
