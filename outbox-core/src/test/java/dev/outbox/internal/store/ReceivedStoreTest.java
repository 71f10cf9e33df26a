package dev.outbox.internal.store;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static dev.outbox.fixture.InBackground.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.delivery.NewEvent.Aggregate;
import dev.outbox.internal.maintenance.Retention;
import dev.outbox.internal.maintenance.RetentionSettings;
import dev.outbox.internal.operations.JdbcOperations;
import dev.outbox.operations.DeliverySelection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.data.TemporalUnitWithinOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Last sequences of received aggregates: their locks, their removal, and the plans of their statements. */
class ReceivedStoreTest {

    private static final int ROWS = 60_000;
    private static final Duration YEAR = Duration.ofDays(365);

    private final TestOutbox outbox = TestOutbox.create();
    private final ReceivedStore store =
            new ReceivedStore(outbox.dataSource(), OutboxSchema.DEFAULT, new OutboxSchema("audit"));

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void sequencesOnlyRise() {
        assertThat(lockAndAdvance("1", 7)).isEqualTo(ReceivedStore.NONE);
        assertThat(lockAndAdvance("1", 5)).isEqualTo(7);
        assertThat(lockAndAdvance("1", 8)).isEqualTo(7);
        assertThat(lockAndAdvance("2", 0)).isEqualTo(ReceivedStore.NONE);
    }

    @Test
    void secondInstanceWaitsAndSeesTheFirst() {
        CountDownLatch locked = new CountDownLatch(1);
        CountDownLatch mayCommit = new CountDownLatch(1);
        CompletableFuture<UUID> first = InBackground.run(() -> outbox.inTransaction(() -> {
            UUID stored =
                    outbox.publisher().publish("own", "1", new OrderPlaced(1)).eventId();
            advance("1", lock("1") + 1);
            locked.countDown();
            awaitLatch(mayCommit);
            return stored;
        }));
        awaitLatch(locked);
        CompletableFuture<Long> second = InBackground.run(() -> outbox.inTransaction(() -> {
            long last = lock("1");
            assertThat(known(result(first))).isTrue();
            return last;
        }));
        await().until(() -> outbox.sql()
                .sql("SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND wait_event_type = 'Lock' AND query LIKE '%outbox_received%'")
                .query(Boolean.class)
                .single());
        mayCommit.countDown();

        assertThat(result(second)).isZero();
    }

    @Test
    void eventsAreKnownInQueueHistoryAndArchive() throws SQLException {
        EventEnvelope queued = outbox.publish("1", new OrderPlaced(1));
        assertThat(known(queued.eventId())).isTrue();
        outbox.sql()
                .sql("UPDATE events.outbox SET status = 'PUBLISHED', dispatched_at = now(),"
                        + " published_at = now() - interval '31 days'")
                .update();
        assertThat(known(queued.eventId())).isTrue();
        retention(RetentionSettings.defaults()).runOnce();
        assertThat(outbox.count("events.outbox")).isZero();
        assertThat(known(queued.eventId())).isTrue();
        assertThat(known(UUID.randomUUID())).isFalse();
    }

    @Test
    void retryOfAnOperatorIsSeen() throws SQLException {
        EventEnvelope dead = new Lanes(outbox).publish("1", 1).get(0);
        new Lanes(outbox).dead("mail", dead);
        assertThat(store.isRetried(dead.eventId(), "mail")).isFalse();

        new JdbcOperations(outbox.dataSource(), OutboxSchema.DEFAULT, (stream) -> {})
                .retry(DeliverySelection.all().ofHandler("mail"), "ann", "fixed");
        assertThat(store.isRetried(dead.eventId(), "mail")).isTrue();
        assertThat(store.isRetried(dead.eventId(), "push")).isFalse();
        assertThat(store.now()).isCloseTo(Instant.now(), new TemporalUnitWithinOffset(1, ChronoUnit.HOURS));
    }

    @Test
    void retentionRemovesIdleAggregatesOnly() throws SQLException {
        addReceived(25, "366 days");
        addReceived(3, "364 days");

        retention(RetentionSettings.defaults()).runOnce();
        assertThat(outbox.count("events.outbox_received")).isEqualTo(28);
        retention(new RetentionSettings(Duration.ofDays(30), true, Duration.ofDays(30), YEAR, 4))
                .runOnce();
        assertThat(outbox.count("events.outbox_received")).isEqualTo(3);
    }

    @Test
    void statementsReadTheirAggregatesOnly() throws SQLException {
        addReceived(ROWS, "366 days");
        addHistory();
        outbox.sql()
                .sql("VACUUM ANALYZE events.outbox_received, events.outbox_published, audit.events")
                .update();
        Explained explained = new Explained(outbox.dataSource());

        JsonNode lock = explained.explain(ReceivedStore.LOCK, "text[], text[]", "'{order, order}', '{1, new}'");
        assertThat(Explained.pages(lock)).isLessThan(50);
        JsonNode known = explained.explain(
                ReceivedStore.KNOWN.replace("{archive}", "audit"),
                "uuid[]",
                array("event_id", "outbox_published", 100));
        assertThat(Explained.rowsVisited(known, "outbox_published")).isEqualTo(100);
        assertThat(Explained.pages(known)).isLessThan(2_000);
        JsonNode advance = explained.explain(
                ReceivedStore.ADVANCE,
                "text[], text[], bigint[]",
                "'{order}', " + array("aggregate_id", "outbox_received", 1) + ", '{9}'");
        assertThat(Explained.rowsVisited(advance, "outbox_received")).isEqualTo(1);
        JsonNode retried = explained.explain(ReceivedStore.RETRIED, "uuid, text", "gen_random_uuid(), 'mail'");
        assertThat(Explained.indexesOf(retried)).containsExactly("outbox_operation_event");
        JsonNode removal = explained.explain(
                ReceivedStore.REMOVE_IDLE, "bigint, text, text, int", YEAR.toMillis() + ", 'order', '8', 100");
        assertThat(Explained.rowsVisited(removal, "outbox_received")).isBetween(100L, 400L);
        assertThat(Explained.pages(removal)).isLessThan(2_000);
    }

    private String array(String column, String table, int values) {
        return outbox.sql()
                .sql(
                        "SELECT quote_literal(array_agg(v)::text) FROM (SELECT {column} AS v FROM events.{table} LIMIT ?) few"
                                .replace("{column}", column)
                                .replace("{table}", table))
                .param(values)
                .query(String.class)
                .single();
    }

    private long lockAndAdvance(String id, long sequence) {
        return outbox.inTransaction(() -> {
            long last = lock(id);
            advance(id, sequence);
            return last;
        });
    }

    private long lock(String id) {
        try {
            return store.lock(new TreeSet<>(Set.of(new Aggregate("order", id))))
                    .getOrDefault(new Aggregate("order", id), Long.MIN_VALUE);
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private void advance(String id, long sequence) {
        try {
            store.advance(Map.of(new Aggregate("order", id), sequence));
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private boolean known(UUID eventId) {
        try {
            return store.known(List.of(eventId)).contains(eventId);
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private Retention retention(RetentionSettings settings) {
        return new Retention(
                settings,
                new RetentionStore(outbox.dataSource(), OutboxSchema.DEFAULT, new OutboxSchema("audit")),
                store,
                Clock.systemUTC(),
                null);
    }

    private void addReceived(int aggregates, String age) {
        outbox.sql().sql("""
                INSERT INTO events.outbox_received (aggregate_type, aggregate_id, last_seq, last_used_at)
                SELECT 'order', gen_random_uuid()::text, 1, now() - :age::interval FROM generate_series(1, :aggregates) n
                """).param("age", age).param("aggregates", aggregates).update();
    }

    private void addHistory() {
        outbox.sql().sql("""
                INSERT INTO events.outbox_published
                       (id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status, dispatched_at, published_at)
                SELECT nextval('events.outbox_id_seq'), 'order', n::text, 1, 'OrderPlaced', '{"number": 1}', 'PUBLISHED', now(), now()
                  FROM generate_series(1, ?) n
                """).param(ROWS).update();
    }
}
