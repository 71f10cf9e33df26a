package dev.outbox.internal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.store.OutboxSchema;
import dev.outbox.internal.store.RetentionStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Counters of idle aggregates: when retention removes them, and that no sequence is given twice. */
class IdleAggregatesTest {

    private final TestOutbox outbox = TestOutbox.create();

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void laterRunRemovesIdleCounter() throws SQLException {
        addIdle("1", 5);
        retention().runOnce();
        assertThat(counters()).containsExactly("1 5");
        retention().runOnce();
        assertThat(counters()).isEmpty();
    }

    @Test
    void newCountersBeginAboveRemovedOnes() throws SQLException {
        addIdle("1", 5);
        retention().runOnce();
        retention().runOnce();

        assertThat(outbox.publish("1", new OrderPlaced(1)).aggregateSeq()).isEqualTo(6);
        assertThat(outbox.publish("1", new OrderPlaced(2)).aggregateSeq()).isEqualTo(7);
        assertThat(publishAll("2", 2)).containsExactly(6L, 7L);
        assertThat(publishAll("2", 2)).containsExactly(8L, 9L);
        assertThat(publishWithId("3")).isEqualTo(6);
        assertThat(publishWithId("3")).isEqualTo(7);
    }

    @Test
    void allCountersAreKeptByDefault() throws SQLException {
        addIdle("1", 5);
        retention(RetentionSettings.defaults()).runOnce();
        retention(RetentionSettings.defaults()).runOnce();
        assertThat(counters()).containsExactly("1 5");
    }

    @Test
    void keepsUsedCountersAndThoseOfQueuedEvents() throws SQLException {
        addIdle("1", 5);
        outbox.publish("2", new OrderPlaced(1));
        outbox.publish("3", new OrderPlaced(1));
        outbox.sql()
                .sql(
                        "UPDATE events.outbox_aggregate SET last_used_at = now() - interval '1 year' WHERE aggregate_id = '2'")
                .update();
        outbox.sql().sql("DELETE FROM events.outbox_claim").update();
        retention().runOnce();
        retention().runOnce();
        assertThat(counters()).containsExactly("2 1", "3 1");
    }

    @Test
    void counterStaysWhileAnOlderTransactionRuns() throws SQLException {
        addIdle("1", 5);
        try (Connection publisher = outbox.dataSource().getConnection()) {
            publisher.setAutoCommit(false);
            execute(publisher, "SELECT events.outbox_aggregate_floor()");
            retention().runOnce();
            retention().runOnce();
            assertThat(counters()).containsExactly("1 5");
            publisher.rollback();
        }
        retention().runOnce();
        assertThat(counters()).isEmpty();
    }

    @Test
    void publisherWaitingForRemovalBeginsAboveIt() throws SQLException {
        addIdle("1", 5);
        retention().runOnce();
        outbox.publisher();
        try (Connection removal = outbox.dataSource().getConnection()) {
            removal.setAutoCommit(false);
            execute(removal, "DELETE FROM events.outbox_aggregate");
            CompletableFuture<EventEnvelope> published =
                    InBackground.run(() -> outbox.publish("1", new OrderPlaced(1)));
            await().until(() -> outbox.sql()
                            .sql("SELECT count(*) FROM pg_locks WHERE NOT granted")
                            .query(Integer.class)
                            .single()
                    == 1);
            removal.commit();
            assertThat(InBackground.result(published).aggregateSeq()).isEqualTo(6);
        }
    }

    @Test
    void publisherWithOldSnapshotBeginsAboveRemovedCounter() throws SQLException {
        addIdle("1", 5);
        TransactionTemplate repeatable = outbox.transactions();
        repeatable.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        EventEnvelope event = repeatable.execute((status) -> {
            outbox.sql()
                    .sql("SELECT count(*) FROM events.outbox")
                    .query(Long.class)
                    .single();
            CompletableFuture<Long> removal =
                    InBackground.run(() -> retention().runOnce() + retention().runOnce());
            InBackground.result(removal);
            return outbox.publisher().publish("order", "1", new OrderPlaced(1));
        });
        assertThat(event.aggregateSeq()).isEqualTo(6);
    }

    @Test
    void counterRemovalRepeatsNoSequence() throws SQLException {
        outbox.handler("any", "*", (envelope) -> {}).start();
        Retention retention = retention(new RetentionSettings(Duration.ZERO, true, Duration.ZERO, Duration.ZERO, 100));
        AtomicBoolean stopped = new AtomicBoolean();
        List<CompletableFuture<Integer>> publishers = IntStream.range(0, 3)
                .mapToObj((number) -> InBackground.run(() -> {
                    int event = 0;
                    while (!stopped.get()) {
                        outbox.publish("" + event++ % 211, new OrderPlaced(event));
                        // Slower than the handler and retention: an aggregate with a queued event keeps its counter.
                        LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
                    }
                    return event;
                }))
                .toList();
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            retention.runOnce();
            return countersThatBeganAgain() > 0;
        });
        stopped.set(true);
        int published = publishers.stream().mapToInt(InBackground::result).sum();
        await().until(() -> outbox.count("events.outbox_unpublished") == 0);
        retention.runOnce();

        assertThat(outbox.count("audit.events")).isEqualTo(published);
        assertThat(outbox.count("(SELECT DISTINCT aggregate_id, aggregate_seq FROM audit.events) one"))
                .isEqualTo(published);
    }

    /** An aggregate whose counter was removed has a gap. */
    private long countersThatBeganAgain() {
        return outbox.count("(SELECT aggregate_id FROM (SELECT aggregate_id, aggregate_seq FROM events.outbox"
                + " UNION ALL SELECT aggregate_id, aggregate_seq FROM audit.events) event"
                + " GROUP BY aggregate_id HAVING max(aggregate_seq) > count(*)) began_again");
    }

    private void addIdle(String aggregateId, long lastSeq) {
        outbox.sql()
                .sql("INSERT INTO events.outbox_aggregate (aggregate_type, aggregate_id, last_seq, last_used_at)"
                        + " VALUES ('order', ?, ?, now() - interval '1 year')")
                .params(aggregateId, lastSeq)
                .update();
    }

    private List<String> counters() {
        return outbox.sql()
                .sql("SELECT aggregate_id || ' ' || last_seq FROM events.outbox_aggregate ORDER BY 1")
                .query(String.class)
                .list();
    }

    private List<Long> publishAll(String aggregateId, int events) {
        List<OutboxEvent> all = IntStream.range(0, events)
                .mapToObj((number) -> OutboxEvent.of("order", aggregateId, new OrderPlaced(number)))
                .toList();
        return outbox.inTransaction(() -> outbox.publisher().publishAll(all)).stream()
                .map(EventEnvelope::aggregateSeq)
                .toList();
    }

    private long publishWithId(String aggregateId) {
        OutboxEvent event =
                OutboxEvent.of("order", aggregateId, new OrderPlaced(1)).withEventId(UUID.randomUUID());
        return outbox.inTransaction(() -> outbox.publisher().publish(event)).aggregateSeq();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Retention retention() {
        return retention(
                new RetentionSettings(Duration.ofDays(30), true, Duration.ofDays(30), Duration.ofDays(90), 1000));
    }

    private Retention retention(RetentionSettings settings) {
        return new Retention(
                settings,
                new RetentionStore(outbox.dataSource(), OutboxSchema.DEFAULT, new OutboxSchema("audit")),
                Clock.systemUTC(),
                null);
    }
}
