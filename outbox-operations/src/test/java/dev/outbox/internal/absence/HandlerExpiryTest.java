package dev.outbox.internal.absence;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.Guarantee;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

class HandlerExpiryTest {

    private static final Duration WEEK = Duration.ofDays(7);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final TestOutbox gone = outbox.another();
    private final HandlerExpiry expiry = new HandlerExpiry(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final Logger logger = (Logger) LoggerFactory.getLogger(HandlerExpiry.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        logger.detachAppender(lines);
    }

    @Test
    @Guarantee(value = "G8", sentence = "Deliveries that wait for an expired registration become dead and visible.")
    void deliveriesOfExpiredRegistrationBecomeDead() throws SQLException {
        gone.handler("old", "*", Recorded.all()).start();
        gone.close();
        Recorded current = Recorded.all();
        outbox.handler("current", "*", current).start();
        List<EventEnvelope> events =
                List.of(outbox.publish("1", new OrderPlaced(1)), outbox.publish("1", new OrderPlaced(2)));
        await().until(() -> outbox.deliveries() == 2);
        // It would expire the handler in the background, and may have reported it.
        outbox.runtime().close();
        lines.list.clear();

        expiry.runOnce();
        assertThat(outbox.laneCodes()).containsExactly("1 OPEN", "2 OPEN");
        unseen("old", "6 days");
        expiry.runOnce();
        assertThat(outbox.laneCodes()).containsExactly("1 OPEN", "2 OPEN");
        unseen("old", "8 days");
        expiry.runOnce();

        assertThat(outbox.laneCodes()).containsExactly("1 DEAD HANDLER_EXPIRED", "2 DEAD HANDLER_EXPIRED");
        assertThat(events).allSatisfy((event) -> assertThat(outbox.event(event)).isDead());
        assertThat(Operator.of(outbox).operations().find(DeliverySelection.all(), 10))
                .allSatisfy((delivery) -> assertThat(delivery.attempts().failures())
                        .singleElement()
                        .satisfies((failure) -> assertThat(failure.code()).isEqualTo("HANDLER_EXPIRED"))
                        .satisfies((failure) -> assertThat(failure.message()).contains("has expired")));
        assertThat(lines.list)
                .filteredOn((line) -> line.getLevel() == Level.ERROR)
                .singleElement()
                .satisfies((line) -> assertThat(line.getFormattedMessage()).contains("2 deliveries", "'old'"));
        expiry.runOnce();
        assertThat(lines.list).hasSize(1);
        assertThat(current.handled()).hasSize(2);
        assertThat(Operator.of(outbox).operations().operations(OperationSelection.all(), 10))
                .singleElement()
                .satisfies((one) -> {
                    assertThat(one.action()).isEqualTo("EXPIRE_HANDLER");
                    assertThat(one.performedBy()).isEqualTo("the outbox");
                    assertThat(one.subject().handlerId()).isEqualTo("old");
                    assertThat(one.reason()).startsWith("no instance has renewed a registration for * since ");
                });
    }

    @Test
    void renamedHandlerDoesNotExpire() throws SQLException {
        new Lanes(outbox).registered("old", "{}", "*");
        new Lanes(outbox).registered("current", "{old}", "*");
        new Lanes(outbox).waiting("old", outbox.publish("1", new OrderPlaced(1)));
        unseen("old", "8 days");

        expiry.runOnce();
        assertThat(outbox.laneCodes()).containsExactly("1 OPEN");
    }

    @Test
    void registrationIsDeletedWhenNothingWaits() throws SQLException {
        Lanes lanes = new Lanes(outbox);
        lanes.registered("old", "{}", "*");
        lanes.registered("current", "{}", "*");
        lanes.waiting("old", outbox.publish("1", new OrderPlaced(1)));
        unseen("old", "8 days");

        expiry.runOnce();
        assertThat(registered()).containsExactly("current *", "old");
        outbox.sql().sql("DELETE FROM events.outbox_delivery").update();
        expiry.runOnce();
        assertThat(registered()).containsExactly("current *");
    }

    @Test
    void pausedRegistrationIsKept() throws SQLException {
        new Lanes(outbox).registered("old", "{}", "*");
        new Lanes(outbox).registered("current", "{}", "*");
        outbox.sql()
                .sql("UPDATE events.outbox_handler SET paused_until = 'infinity'")
                .update();
        unseen("old", "8 days");

        expiry.runOnce();
        assertThat(registered()).containsExactly("current *", "old");
    }

    @Test
    @Guarantee(
            value = "G2",
            sentence = "After all instances stood still, events still reach the handlers of the one that starts last.")
    void handlerThatStartsLastAfterAStandstillGetsEvents() {
        Recorded last = Recorded.all();
        outbox.handler("first", "*", Recorded.all()).start();
        gone.handler("last", "*", last).start();
        outbox.runtime().close();
        gone.runtime().close();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        unseen("first", "8 days");
        unseen("last", "8 days");

        outbox.start();
        await().atMost(Duration.ofMinutes(1))
                .until(() -> !outbox.statusOf(event).matches("PENDING|PROCESSING"));
        gone.start();
        await().atMost(Duration.ofMinutes(1)).until(() -> !last.handled().isEmpty());
    }

    /** It was suspended together with all others, between its heartbeat and the expiry. */
    @Test
    void instanceThatResumesFirstExpiresNothing() throws SQLException {
        Lanes lanes = new Lanes(outbox);
        lanes.registered("old", "{}", "*");
        lanes.registered("current", "{}", "*");
        lanes.waiting("old", outbox.publish("1", new OrderPlaced(1)));
        unseen("current", "8 days");
        unseen("old", "8 days");

        expiry.runOnce();
        assertThat(outbox.laneCodes()).containsExactly("1 OPEN");
        assertThat(registered()).containsExactly("current *", "old *");
    }

    @Test
    void onlyTheTimeOfAStandstillDoesNotCount() throws SQLException {
        HandlerStore store = new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT);
        store.register(
                Map.of(
                        "current",
                        Set.of(Subscription.ofType("*")),
                        "old",
                        Set.of(Subscription.ofType("*")),
                        "expired",
                        Set.of(Subscription.ofType("*"))),
                Map.of(),
                WEEK);
        unseen("current", "30 days");
        unseen("old", "36 days");
        outbox.sql()
                .sql("UPDATE events.outbox_subscription SET last_seen_at = '-infinity' WHERE handler_id = 'expired'")
                .update();

        List<CompletableFuture<Boolean>> starts = Stream.of("current", "new")
                .map((id) -> InBackground.run(() -> {
                    store.register(Map.of(id, Set.of(Subscription.ofType("*"))), Map.of(), HandlerStore.STANDSTILL);
                    return true;
                }))
                .toList();
        starts.forEach(InBackground::result);

        assertThat(outbox.sql()
                        .sql("SELECT handler_id || ' ' || CASE WHEN last_seen_at = '-infinity' THEN 'never'"
                                + " ELSE round(extract(epoch FROM now() - last_seen_at) / 86400)::text END"
                                + " FROM events.outbox_subscription ORDER BY 1")
                        .query(String.class)
                        .list())
                .containsExactly("current 0", "expired never", "new 0", "old 6");
    }

    private List<String> registered() {
        return outbox.sql()
                .sql("SELECT concat_ws(' ', h.id, s.event_type) FROM events.outbox_handler h"
                        + " LEFT JOIN events.outbox_subscription s ON s.handler_id = h.id ORDER BY 1")
                .query(String.class)
                .list();
    }

    private void unseen(String handlerId, String time) {
        outbox.sql()
                .sql("UPDATE events.outbox_handler SET last_seen_at = now() - CAST(? AS interval) WHERE id = ?")
                .params(time, handlerId)
                .update();
        outbox.sql()
                .sql(
                        "UPDATE events.outbox_subscription SET last_seen_at = now() - CAST(? AS interval) WHERE handler_id = ?")
                .params(time, handlerId)
                .update();
    }
}
