package dev.outbox.chaos.check;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.Completed;
import dev.outbox.chaos.history.Fact.Intended;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.Fact.Published;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.RecordedHandler;
import dev.outbox.dispatch.DispatchSettings;
import dev.outbox.dispatch.RetryPolicies;
import dev.outbox.poll.PollerSettings;
import dev.outbox.publish.PublisherSettings;
import dev.outbox.retention.RetentionSettings;
import dev.outbox.retry.Backoff;
import dev.outbox.retry.RetryPolicy;
import dev.outbox.runtime.OutboxRuntime;
import dev.outbox.runtime.RuntimeSettings;
import dev.outbox.runtime.RuntimeSettings.Polling;
import dev.outbox.runtime.RuntimeSettings.Schemas;
import dev.outbox.runtime.Surroundings;
import dev.outbox.schema.OutboxMigrations;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** The real library in this process, on a database of its own, with triggers and facts. */
final class RecordedRun implements AutoCloseable {

    static final CheckSettings SETTINGS = CheckSettings.defaults().withMaxAttempts(3);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final String BUSINESS = """
            CREATE TABLE chaos.ledger (
                event_id uuid PRIMARY KEY, aggregate_id text NOT NULL, sequence bigint NOT NULL, transaction_id text NOT NULL);
            CREATE TABLE chaos.booking (event_id uuid NOT NULL, handler text NOT NULL);
            """;

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private final HikariDataSource dataSource;
    private final JdbcClient sql;
    private final Path directory;
    private final FactWriter publisherFacts;
    private final FactWriter workerFacts;
    private final OutboxRuntime runtime;
    private final TransactionTemplate transactions;

    RecordedRun(Path directory, Function<JdbcClient, List<HandlerDefinition>> handlers) {
        this.directory = directory;
        HikariConfig pool = new HikariConfig();
        pool.setDataSource(database.dataSource());
        this.dataSource = new HikariDataSource(pool);
        this.sql = JdbcClient.create(dataSource);
        new OutboxMigrations(
                        database.dataSource(),
                        Schemas.defaults().outbox(),
                        Schemas.defaults().archive())
                .migrate();
        sql.sql(stateChanges()).update();
        sql.sql(BUSINESS).update();
        this.publisherFacts = FactWriter.open(directory, "publisher");
        this.workerFacts = FactWriter.open(directory, "worker");
        List<HandlerDefinition> recorded = handlers.apply(sql).stream()
                .map((handler) -> RecordedHandler.of(handler, workerFacts))
                .toList();
        Surroundings surroundings = Surroundings.of(dataSource);
        PlatformTransactionManager manager = surroundings.transactions().get().orElseThrow();
        this.transactions = new TransactionTemplate(manager);
        this.runtime = new OutboxRuntime(settings(), surroundings, () -> recorded);
        runtime.start();
        RecordedHandler.subscribed(workerFacts, recorded);
    }

    private static RuntimeSettings settings() {
        RetryPolicy atOnce = new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 3);
        PollerSettings poller =
                new PollerSettings(Duration.ofMillis(50), 200, Duration.ofSeconds(60), Duration.ofSeconds(10));
        return new RuntimeSettings(
                Schemas.defaults(),
                PublisherSettings.defaults(),
                new Polling(Set.of("default"), false, Map.of("default", poller), Duration.ofDays(7)),
                new DispatchSettings(new RetryPolicies(atOnce, Map.of(), Map.of()), Map.of()),
                RetentionSettings.defaults());
    }

    static String stateChanges() {
        try (InputStream script = History.class.getResourceAsStream("state-changes.sql")) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    JdbcClient sql() {
        return sql;
    }

    OutboxRuntime runtime() {
        return runtime;
    }

    /** Publishes events in one transaction, each with its business row. */
    void publish(String transaction, List<IntendedEvent> events, boolean commits) {
        publisherFacts.write(new Intended(System.nanoTime(), "publisher", transaction, events));
        transactions.executeWithoutResult((status) -> {
            for (IntendedEvent event : events) {
                publish(transaction, event);
            }
            if (!commits) {
                status.setRollbackOnly();
            }
        });
        publisherFacts.write(new Completed(
                System.nanoTime(), "publisher", transaction, commits ? Commit.COMMITTED : Commit.ABORTED));
    }

    private void publish(String transaction, IntendedEvent event) {
        OutboxEvent outboxEvent = OutboxEvent.of(
                        event.aggregateType(), event.aggregateId(), JSON.readTree(event.payload()))
                .withEventId(event.eventId())
                .withEventType(event.eventType());
        for (Map.Entry<String, String> header : event.headers().entrySet()) {
            outboxEvent = outboxEvent.withHeader(header.getKey(), header.getValue());
        }
        long sequence = runtime.publisher().publish(outboxEvent).aggregateSeq();
        sql.sql("INSERT INTO chaos.ledger VALUES (?, ?, ?, ?)")
                .params(event.eventId(), event.aggregateId(), sequence, transaction)
                .update();
        publisherFacts.write(new Published(System.nanoTime(), "publisher", transaction, event.eventId(), sequence));
    }

    boolean isBacklogEmpty() {
        return sql.sql("SELECT count(*) FROM events.outbox_unpublished o WHERE o.status <> 'DEAD'")
                        .query(Long.class)
                        .single()
                == 0;
    }

    History history() {
        return History.read(directory, dataSource);
    }

    Report check() {
        return new Checker(SETTINGS).check(history());
    }

    void book(UUID eventId, String handler) {
        sql.sql("INSERT INTO chaos.booking VALUES (?, ?)")
                .params(eventId, handler)
                .update();
    }

    @Override
    public void close() {
        runtime.close();
        publisherFacts.close();
        workerFacts.close();
        dataSource.close();
        database.close();
    }
}
