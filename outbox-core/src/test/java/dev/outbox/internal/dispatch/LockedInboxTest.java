package dev.outbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.Guarantee;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A worker has died without closing its connection, and PostgreSQL keeps the transaction of its deduplicating handler. */
@Tag("full")
class LockedInboxTest {

    private static final int OTHERS = 20;

    private final HikariConfig pool = new HikariConfig();
    private final Recorded handled = Recorded.all();
    private TestOutbox outbox;

    @AfterEach
    void close() {
        outbox.close();
    }

    @ParameterizedTest
    @CsvSource({"false, SELECT 1", "true, SELECT 1", "false, SET statement_timeout = 500"})
    @Guarantee(
            value = "G4",
            sentence =
                    "The open transaction of a dead worker's deduplicating handler delays only its own event's lane.")
    void otherAggregatesContinueAndEventIsHandledAfterRollback(boolean batch, String init) throws SQLException {
        List<EventEnvelope> held = start(batch, init);
        try (OpenTransaction dead = OpenTransaction.of(outbox.database().dataSource())) {
            handleWithoutEnd(dead, held.get(0));
            outbox.start();

            await().until(() -> handled.sequences().size() == OTHERS);
            assertThat(handled.sequences()).doesNotContainKey("held");
            await().untilAsserted(
                            () -> assertThat(outbox.errors())
                                    .singleElement()
                                    .asString()
                                    .contains(
                                            "and is still open: another instance handles the event, or died without closing its connection"));
        }

        outbox.awaitPublished(OTHERS + 2);
        assertThat(handled.sequences()).containsEntry("held", List.of(1L, 2L)).hasSize(OTHERS + 1);
        assertThat(handled.handled()).hasSize(OTHERS + 2);
        assertThat(outbox.failures()).isZero();
    }

    @Test
    @Guarantee(value = "G7", sentence = "An event whose worker seemed dead and commits after all is not handled again.")
    void eventIsNotHandledAfterCommit() throws SQLException {
        List<EventEnvelope> held = start(false, "SELECT 1");
        try (OpenTransaction dead = OpenTransaction.of(outbox.database().dataSource())) {
            handleWithoutEnd(dead, held.get(0));
            outbox.start();

            await().until(() -> handled.sequences().size() == OTHERS);
            dead.commit();
        }

        outbox.awaitPublished(OTHERS + 2);
        assertThat(handled.sequences()).containsEntry("held", List.of(2L)).hasSize(OTHERS + 1);
        assertThat(handled.handled()).hasSize(OTHERS + 1);
        assertThat(outbox.failures()).isZero();
    }

    @Test
    void handlerKeepsItsLockTimeout() {
        pool.setConnectionInitSql("SET lock_timeout = '7s'");
        outbox = TestOutbox.create(pool);
        List<String> seen = new CopyOnWriteArrayList<>();
        outbox.handler(HandlerDefinition.of("once", Set.of("*"), (envelope) -> {
                    seen.add(lockTimeout());
                    outbox.transactions().executeWithoutResult((joined) -> seen.add(lockTimeout()));
                })
                .deduplicating());
        outbox.handler(HandlerDefinition.ofBatch(
                        "batch", Set.of("*"), null, (payloads, events, outcome, context) -> seen.add(lockTimeout()))
                .deduplicating());
        outbox.start();
        outbox.publish("1", new OrderPlaced(1));

        outbox.awaitPublished(1);
        assertThat(seen).containsExactly("7s", "7s", "7s");
    }

    /** Two events of the held aggregate come first. */
    private List<EventEnvelope> start(boolean batch, String init) {
        pool.setConnectionInitSql(init);
        outbox = TestOutbox.create(pool);
        HandlerDefinition handler = batch
                ? HandlerDefinition.ofBatch("once", Set.of("*"), null, (payloads, events, outcome, context) -> {
                    for (EventEnvelope event : events) {
                        handled.handle(event);
                    }
                })
                : HandlerDefinition.of("once", Set.of("*"), handled);
        outbox.handler(handler.deduplicating()).poller(Duration.ofMillis(50), 100, Duration.ofMinutes(1));
        return outbox.inTransaction(() -> {
            List<EventEnvelope> held = new ArrayList<>();
            held.add(outbox.publisher().publish("order", "held", new OrderPlaced(1)));
            held.add(outbox.publisher().publish("order", "held", new OrderPlaced(2)));
            for (int i = 0; i < OTHERS; i++) {
                outbox.publisher().publish("order", "other-" + i, new OrderPlaced(i));
            }
            return held;
        });
    }

    private static void handleWithoutEnd(OpenTransaction dead, EventEnvelope event) throws SQLException {
        dead.run(
                "INSERT INTO events.processed_event (event_id, handler_id) VALUES ('" + event.eventId() + "', 'once')");
    }

    private String lockTimeout() {
        return outbox.value(String.class, "SELECT current_setting('lock_timeout')");
    }
}
