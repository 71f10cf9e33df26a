package dev.outbox.forwarding.internal.received;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.HandlerDefinition;
import dev.outbox.forwarding.internal.received.ReceivedStore.Position;
import dev.outbox.forwarding.internal.received.ReceivedStore.Received;
import dev.outbox.internal.publish.Aggregate;
import dev.outbox.internal.retention.RetentionSettings;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Last sequences of received aggregates: their locks, their removal, and the plans of their statements. */
class ReceivedStoreTest {

    private static final JsonMapper JSON = new JsonMapper();
    private static final int ROWS = 60_000;
    private static final Executor OWN_THREADS = (task) -> new Thread(task).start();

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private final DataSource dataSource = database.dataSource();
    private final JdbcClient sql = JdbcClient.create(dataSource);
    private final ReceivedStore store =
            new ReceivedStore(dataSource, OutboxSchema.DEFAULT, OutboxSchema.DEFAULT_ARCHIVE);
    private final TransactionTemplate transactions =
            new TransactionTemplate(new DataSourceTransactionManager(dataSource));

    @EventType("OrderPlaced")
    record Placed(int number) {}

    @BeforeEach
    void createTables() {
        new OutboxMigrations(dataSource, OutboxSchema.DEFAULT, OutboxSchema.DEFAULT_ARCHIVE).migrate();
        new OutboxMigrations(ReceivedStore.TABLES, dataSource, OutboxSchema.DEFAULT, OutboxSchema.DEFAULT_ARCHIVE)
                .migrate();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void sequencesOfATopicOnlyRise() {
        assertThat(lockAndAdvance("1", "a", 7)).isEqualTo(Position.NOTHING);
        assertThat(lockAndAdvance("1", "a", 5)).isEqualTo(new Position(7, 7));
        assertThat(lockAndAdvance("1", "b", 3)).isEqualTo(new Position(ReceivedStore.NONE, 7));
        assertThat(lockAndAdvance("1", "b", 9)).isEqualTo(new Position(3, 7));
        assertThat(lockAndAdvance("1", "a", 8)).isEqualTo(new Position(7, 9));
        assertThat(lockAndAdvance("2", "a", 0)).isEqualTo(Position.NOTHING);
    }

    @Test
    void secondInstanceWaitsAndSeesTheFirst() throws Exception {
        CountDownLatch locked = new CountDownLatch(1);
        CountDownLatch mayCommit = new CountDownLatch(1);
        CompletableFuture<Void> first = CompletableFuture.runAsync(
                () -> transactions.executeWithoutResult((status) -> {
                    store.lock(new TreeSet<>(Set.of(key("1", "a"))));
                    store.advance(Map.of(key("1", "a"), 4L));
                    locked.countDown();
                    try {
                        mayCommit.await(60, TimeUnit.SECONDS);
                    } catch (InterruptedException ex) {
                        throw new IllegalStateException(ex);
                    }
                }),
                OWN_THREADS);
        locked.await(60, TimeUnit.SECONDS);
        CompletableFuture<Position> second =
                CompletableFuture.supplyAsync(() -> lockAndAdvance("1", "a", 5), OWN_THREADS);
        await().until(() -> sql.sql("SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND wait_event_type = 'Lock' AND query LIKE '%outbox_received%'")
                .query(Boolean.class)
                .single());
        mayCommit.countDown();

        first.join();
        assertThat(second.join()).isEqualTo(new Position(4, 4));
    }

    @Test
    void eventsAreKnownInQueueHistoryAndArchive() throws SQLException {
        RuntimeSettings defaults = RuntimeSettings.defaults();
        RuntimeSettings archiving = new RuntimeSettings(
                defaults.schemas(),
                defaults.publisher(),
                defaults.polling(),
                defaults.dispatch(),
                new RetentionSettings(Duration.ofDays(30), true, Duration.ofDays(30), 1000));
        HandlerDefinition handler =
                HandlerDefinition.of("application", Set.of("OrderPlaced"), (EventEnvelope event) -> {});
        try (OutboxRuntime runtime =
                new OutboxRuntime(archiving, OutboxDependencies.of(dataSource), () -> List.of(handler))) {
            UUID id = Objects.requireNonNull(
                            transactions.execute((status) -> runtime.publisher().publish("own", "1", new Placed(1))))
                    .eventId();
            assertThat(store.known(List.of(id))).containsOnlyKeys(id);
            runtime.start();
            await().until(() -> sql.sql("UPDATE events.outbox_published SET published_at = now() - interval '31 days'")
                            .update()
                    == 1);
            assertThat(store.known(List.of(id))).containsOnlyKeys(id);
            runtime.retention().runOnce();
            assertThat(sql.sql("SELECT outbox_event_id FROM audit.events")
                            .query(UUID.class)
                            .list())
                    .containsExactly(id);
            assertThat(store.known(List.of(id, UUID.randomUUID()))).containsOnlyKeys(id);
        }
    }

    @Test
    void statementsReadTheirAggregatesOnly() throws SQLException {
        addReceived(ROWS);
        sql.sql("VACUUM ANALYZE events.outbox_received").update();

        assertThat(pages(ReceivedStore.LOCK, "text[], text[], text[]", "'{order, order}', '{1, new}', '{a, a}'"))
                .isLessThan(50);
        assertThat(pages(ReceivedStore.ADVANCE, "text[], text[], text[], bigint[]", "'{order}', '{1}', '{a}', '{9}'"))
                .isLessThan(50);
        assertThat(pages(ReceivedStore.KNOWN, "uuid[]", "ARRAY[gen_random_uuid()]"))
                .isLessThan(50);
        assertThat(pages(ReceivedStore.RETRIED, "uuid, text[]", "gen_random_uuid(), ARRAY['mail']"))
                .isLessThan(50);
    }

    /** Pages that a statement visits with the plan that does not know the values. */
    private long pages(String sql, String types, String values) throws SQLException {
        List<String> names = new ArrayList<>();
        String numbered = Pattern.compile("(?<!:):[a-z_]+")
                .matcher(sql.replace("{schema}", "events").replace("{archive}", "audit"))
                .replaceAll((match) -> {
                    if (!names.contains(match.group())) {
                        names.add(match.group());
                    }
                    return "\\$" + (names.indexOf(match.group()) + 1);
                });
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("BEGIN");
            statement.execute("SET LOCAL plan_cache_mode = force_generic_plan");
            statement.execute("SET LOCAL enable_seqscan = off");
            statement.execute("PREPARE explained (" + types + ") AS " + numbered);
            try (ResultSet row = statement.executeQuery(
                    "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained (" + values + ")")) {
                row.next();
                return pages(JSON.readTree(row.getString(1)).get(0).get("Plan"));
            }
        }
    }

    private static long pages(JsonNode node) {
        long own = node.path("Shared Hit Blocks").asLong(0)
                + node.path("Shared Read Blocks").asLong(0);
        for (JsonNode child : node.path("Plans")) {
            own = Math.max(own, pages(child));
        }
        return own;
    }

    private static Received key(String id, String topic) {
        return new Received(new Aggregate("order", id), topic);
    }

    private Position lockAndAdvance(String id, String topic, long sequence) {
        return Objects.requireNonNull(transactions.execute((status) -> {
            Position position =
                    store.lock(new TreeSet<>(Set.of(key(id, topic)))).get(key(id, topic));
            store.advance(Map.of(key(id, topic), sequence));
            return position;
        }));
    }

    private void addReceived(int aggregates) {
        sql.sql("""
                INSERT INTO events.outbox_received (aggregate_type, aggregate_id, topic, last_seq)
                SELECT 'order', gen_random_uuid()::text, 'a', 1 FROM generate_series(1, :aggregates) n
                """).param("aggregates", aggregates).update();
    }
}
