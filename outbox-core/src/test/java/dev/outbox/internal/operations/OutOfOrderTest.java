package dev.outbox.internal.operations;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.store.ActiveHandlers;
import dev.outbox.internal.store.ClaimStore;
import dev.outbox.internal.store.HandlerStore;
import dev.outbox.internal.store.OutboxSchema;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.OutboxOperations.Retried;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class OutOfOrderTest {

    private static final DeliverySelection MAIL = DeliverySelection.all().ofHandler("mail");

    private final TestOutbox outbox = TestOutbox.create();
    private final Lanes lanes = new Lanes(outbox);
    private final Logger logger = (Logger) LoggerFactory.getLogger(JdbcOperations.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    OutOfOrderTest() {
        logged.start();
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        logger.addAppender(logged);
    }

    @AfterEach
    void close() {
        logger.detachAppender(logged);
        logger.setLevel(Level.ERROR);
        logger.setAdditive(true);
        outbox.close();
    }

    @Test
    void reportsRetryBehindHandledEvents() {
        AtomicBoolean down = new AtomicBoolean(true);
        Recorded mail = Recorded.failing((attempt) ->
                attempt.envelope().aggregateSeq() == 2 && down.get() ? new NonRetryableException("down") : null);
        outbox.handler("mail", "*", mail);
        lanes.publish("1", 3);
        lanes.publish("2", 2);
        outbox.start();
        await().until(() -> outbox.count("events.outbox_published") == 3);
        down.set(false);

        // The dead one of the second order was its last.
        assertThat(retry()).isEqualTo(new Retried(2, 0, 1));
        assertThat(warnings()).singleElement().asString().contains("1 of the 2 deliveries retried by ann");
        await().until(() -> outbox.count("events.outbox_published") == 5);
        assertThat(mail.sequences()).isEqualTo(Map.of("1", List.of(1L, 3L, 2L), "2", List.of(1L, 2L)));
    }

    @Test
    void logsNothingForRetryInOrder() {
        List<EventEnvelope> events = lanes.publish("1", 5);
        lanes.dead("mail", events.get(0));
        lanes.dead("mail", events.get(1));
        lanes.failed("mail", events.get(2));
        lanes.waiting("mail", events.get(3));

        assertThat(retry()).isEqualTo(new Retried(3, 0, 0));
        assertThat(warnings()).isEmpty();
    }

    @Test
    void laterEventThatWaitsForAnotherHandlerCounts() {
        List<EventEnvelope> events = lanes.publish("1", 2);
        lanes.dead("mail", events.get(0));
        lanes.failed("audit", events.get(1));

        assertThat(retry()).isEqualTo(new Retried(1, 0, 1));
    }

    @Test
    void laterDeadLetterDoesNotCount() {
        List<EventEnvelope> events = lanes.publish("1", 2);
        events.forEach((event) -> lanes.dead("mail", event));

        assertThat(retryOne(events.get(0))).isEqualTo(new Retried(1, 0, 0));
    }

    @Test
    void laterEventWithoutSubscriptionCounts() throws SQLException {
        register(Map.of("mail", Set.of("OrderPlaced")));
        EventEnvelope placed = outbox.publish("1", new OrderPlaced(1));
        EventEnvelope paid = outbox.publish("1", new OrderPaid(1));
        EventEnvelope paidAgain = outbox.publish("1", new OrderPaid(2));
        lanes.dead("mail", placed);
        lanes.failed("audit", paid);
        lanes.published(paidAgain);

        assertThat(retry()).isEqualTo(new Retried(1, 0, 1));
    }

    @Test
    void laterPublishedEventCounts() throws SQLException {
        register(Map.of("mail", Set.of("OrderPlaced", "OrderPaid")));
        EventEnvelope placed = outbox.publish("1", new OrderPlaced(1));
        EventEnvelope paid = outbox.publish("1", new OrderPaid(1));
        EventEnvelope last = outbox.publish("1", new OrderPlaced(2));
        lanes.dead("mail", placed);
        lanes.published(paid);
        lanes.dead("mail", last);

        assertThat(retryOne(last)).isEqualTo(new Retried(1, 0, 0));
        assertThat(retryOne(placed)).isEqualTo(new Retried(1, 0, 1));
    }

    @Test
    void laterArchivedEventCounts() {
        List<EventEnvelope> events = lanes.publish("1", 2);
        lanes.dead("mail", events.get(0));
        lanes.published(events.get(1));
        outbox.sql().sql("DELETE FROM events.outbox_published").update();

        assertThat(retry()).isEqualTo(new Retried(1, 0, 1));
    }

    @Test
    void retryCountsWhereTheApplicationGivesTheSequences() {
        EventEnvelope first = publish(10);
        EventEnvelope second = publish(20);
        lanes.dead("mail", first);
        lanes.dead("mail", second);

        assertThat(retryOne(second)).isEqualTo(new Retried(1, 0, 1));
        assertThat(retryOne(first)).isEqualTo(new Retried(1, 0, 1));
    }

    @Test
    void laterEventInFirstDeliveryCounts() throws SQLException {
        register(Map.of("mail", Set.of("*")));
        List<EventEnvelope> events = lanes.publish("1", 2);
        lanes.dead("mail", events.get(0));
        ClaimStore claims = new ClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
        ClaimStore.Request request =
                new ClaimStore.Request("default", "w", 10, Duration.ofMinutes(1), ActiveHandlers.ofAllTypes("mail"));
        assertThat(claims.claim(request).orElseThrow().claim().events()).hasSize(1);

        assertThat(retry()).isEqualTo(new Retried(1, 0, 1));
    }

    @Test
    void laterEventBeingAttemptedGoesFirstAndCounts() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicBoolean down = new AtomicBoolean(true);
        Recorded mail = Recorded.failing((attempt) -> {
            if (down.get()) {
                return attempt.envelope().aggregateSeq() == 1
                        ? new NonRetryableException("never")
                        : new IOException("later");
            }
            if (attempt.envelope().aggregateSeq() == 2) {
                begun.countDown();
                awaitLatch(end);
            }
            return null;
        });
        outbox.handler("mail", "*", mail).poller(Duration.ofMillis(100), 50, Duration.ofMinutes(1));
        List<EventEnvelope> events = lanes.publish("1", 3);
        outbox.start();
        await().until(() -> lanes.of("mail", "1").equals(List.of("1 DEAD 1", "2 DUE head 1", "3 WAITING 0")));
        down.set(false);
        retryOne(events.get(1));
        awaitLatch(begun);

        assertThat(retryOne(events.get(0))).isEqualTo(new Retried(1, 0, 1));
        assertThat(lanes.of("mail", "1")).containsExactly("1 WAITING 0", "2 DUE head 0", "3 WAITING 0");
        end.countDown();
        await().until(() -> outbox.count("events.outbox_published") == 3);
        assertThat(mail.sequences()).isEqualTo(Map.of("1", List.of(2L, 3L, 1L)));
    }

    private EventEnvelope publish(long seq) {
        return outbox.inTransaction(() -> outbox.publisher()
                .publish(OutboxEvent.of("order", "1", new OrderPlaced(1)).withSequence(seq)));
    }

    private void register(Map<String, Set<String>> eventTypes) throws SQLException {
        HandlerStore registry = new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT);
        registry.addStream("default");
        registry.register(eventTypes, Map.of(), Duration.ofDays(7));
    }

    private Retried retry() {
        return outbox.runtime().operations().retry(MAIL, "ann", "mail is back");
    }

    private Retried retryOne(EventEnvelope event) {
        return outbox.runtime()
                .operations()
                .retry(DeliverySelection.delivery(event.eventId(), "mail"), "ann", "mail is back");
    }

    private List<String> warnings() {
        return logged.list.stream()
                .filter((line) -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }
}
