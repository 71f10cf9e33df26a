package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

@OutboxTest({Orders.class, Mail.class})
class ScheduledEventsAssertTest {

    private static final Duration TWO_WEEKS = Duration.ofDays(14);

    @Autowired
    private OutboxPublisher publisher;

    @Autowired
    private TransactionOperations transactions;

    @Autowired
    private OutboxTester outbox;

    @BeforeEach
    void emptyTables(@Autowired JdbcClient jdbc) {
        ShopTables.empty(jdbc);
    }

    @Test
    void selectsByAggregateKeyContentAndDueTime() {
        Instant noon = Instant.parse("2190-01-01T12:00:00Z");
        schedule(
                "1",
                (event) -> event.deliverAfter(TWO_WEEKS).withKey("reminder").withHeader("tenant", "acme"));
        schedule("2", (event) -> event.deliverAt(noon));

        assertThat(outbox).scheduled(OrderPlaced.class).times(2);
        assertThat(outbox)
                .scheduled(OrderPlaced.class)
                .forAggregate("order", "1")
                .withKey("reminder")
                .dueIn(TWO_WEEKS)
                .withHeader("tenant", "acme")
                .withPayload(new OrderPlaced("1", "lamp"))
                .times(1);
        assertThat(outbox)
                .scheduled("OrderPlaced")
                .dueAt(noon)
                .satisfies((json) -> assertThat(json.get("orderId").asString()).isEqualTo("2"))
                .times(1);
        assertFails(() -> assertThat(outbox).scheduled(OrderPlaced.class).dueAt(noon.plusMillis(1)));
        assertFails(() -> assertThat(outbox).scheduled(OrderShipped.class))
                .withMessageContaining(
                        "Expected a scheduled event OrderShipped, but there is only:\n  OrderPlaced of order/1");
    }

    @Test
    void messageTellsKeyAndDueTime() {
        schedule("1", (event) -> event.deliverAfter(TWO_WEEKS).withKey("reminder"));

        assertFails(() -> assertThat(outbox).scheduled(OrderPlaced.class).dueIn(Duration.ofMinutes(90)))
                .withMessageMatching(
                        "Expected a scheduled event OrderPlaced that is due in 1 hour 30 minutes, but there is only:"
                                + "\n  OrderPlaced of order/1 with the key 'reminder' is scheduled for [-0-9T:.]+Z \\(in 14 days\\)");
        assertFails(() -> assertThat(outbox).scheduled(OrderPlaced.class).withKey("other"))
                .withMessageContaining("OrderPlaced with the key 'other', but there is only:");
    }

    @Test
    void advanceBringsTheDueTimeNearer() {
        schedule("1", (event) -> event.deliverAfter(TWO_WEEKS));

        outbox.advance(Duration.ofDays(13)).drain();

        assertThat(outbox).scheduled(OrderPlaced.class).dueIn(Duration.ofDays(1));
        assertFails(() -> assertThat(outbox).scheduled(OrderPlaced.class).dueIn(TWO_WEEKS))
                .withMessageContaining("(in 1 day)");
        outbox.advance(Duration.ofDays(1));
        assertFails(() -> assertThat(outbox).scheduledNothing()).withMessageContaining("(due: call drain())");
    }

    @Test
    void toleranceOfAShortTimeIsShort() {
        schedule("1", (event) -> event.deliverAfter(Duration.ofSeconds(35)));

        assertFails(() -> assertThat(outbox).scheduled(OrderPlaced.class).dueIn(Duration.ofSeconds(5)))
                .withMessageContaining("that is due in 5 seconds, but there is only:");
        assertThat(outbox).scheduled(OrderPlaced.class).dueIn(Duration.ofSeconds(34));
    }

    @Test
    void advancesToOneScheduledEventAfterTheOther() {
        schedule("2", (event) -> event.deliverAfter(TWO_WEEKS));
        schedule("1", (event) -> event.deliverAfter(Duration.ofHours(1)));

        outbox.advanceToScheduled().drain();
        assertThat(outbox).published(OrderPlaced.class).times(1).forAggregate("order", "1");
        outbox.advanceToScheduled();
        assertThat(outbox.advanceToScheduled().drain().handled()).isOne();

        assertThat(outbox).scheduledNothing();
        assertThat(outbox).published(OrderPlaced.class).times(2).handledBy("mail");
        assertThatIllegalStateException()
                .isThrownBy(outbox::advanceToScheduled)
                .withMessage("no event is scheduled; events of a transaction that rolled back are not stored");
    }

    @Test
    void scheduledEventIsNotPublishedYet() {
        schedule("1", (event) -> event.deliverAfter(TWO_WEEKS));

        assertFails(() -> assertThat(outbox).published(OrderPlaced.class))
                .withMessageContaining(
                        "Expected an event OrderPlaced, but it is scheduled for later; call advance(...) or"
                                + " advanceToScheduled(), and then drain():\n  OrderPlaced of order/1 is scheduled for ")
                .withMessageEndingWith("(in 14 days)");
        assertFails(() -> assertThat(outbox).publishedNothing())
                .withMessageContaining("Expected no scheduled event, but there is:\n  OrderPlaced of order/1");
        assertThat(outbox.events()).isEmpty();
    }

    @Test
    void withoutScheduledEventsTheMessageSaysSo() {
        assertThat(outbox).scheduledNothing();
        assertFails(() -> assertThat(outbox).scheduled(OrderPlaced.class))
                .withMessageStartingWith("Expected a scheduled event OrderPlaced, but nothing is scheduled;");
    }

    private void schedule(String orderId, UnaryOperator<OutboxEvent> schedule) {
        OutboxEvent event = OutboxEvent.of("order", orderId, new OrderPlaced(orderId, "lamp"));
        transactions.executeWithoutResult((status) -> publisher.publish(schedule.apply(event)));
    }

    private static ThrowableAssertAlternative<AssertionError> assertFails(ThrowingCallable assertion) {
        return assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion);
    }
}
