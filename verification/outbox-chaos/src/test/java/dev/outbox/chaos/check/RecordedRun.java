package dev.outbox.chaos.check;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.EventEnvelope;
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
import dev.outbox.internal.dispatch.DispatchSettings;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.publish.PublisherSettings;
import dev.outbox.internal.retention.RetentionSettings;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.internal.runtime.RuntimeSettings.Polling;
import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.internal.OperationsRuntime;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** The real library in this process, on a database of its own, with triggers and facts. */
final class RecordedRun implements AutoCloseable {

    private static final CheckSettings SETTINGS = CheckSettings.defaults().withMaxAttempts(3);

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
    private final FactWriter facts;
    private final OutboxRuntime publisher;
    private final OperationsRuntime operator;
    private final TransactionTemplate transactions;
    private final List<Worker> workers = new ArrayList<>();

    /** An instance that handles events, with connections and facts of its own. */
    private record Worker(FactWriter facts, HikariDataSource dataSource, OutboxRuntime runtime) {

        void close() {
            runtime.close();
            facts.close();
            dataSource.close();
        }
    }

    RecordedRun(Path directory, Function<JdbcClient, List<HandlerDefinition>> handlers) {
        this.directory = directory;
        this.dataSource = pool("publisher");
        this.sql = JdbcClient.create(dataSource);
        new OutboxMigrations(
                        database.dataSource(),
                        Schemas.defaults().outbox(),
                        Schemas.defaults().archive())
                .migrate();
        sql.sql(stateChanges()).update();
        sql.sql(BUSINESS).update();
        this.facts = FactWriter.open(directory, "publisher");
        OutboxDependencies dependencies = OutboxDependencies.of(dataSource);
        this.transactions =
                new TransactionTemplate(dependencies.transactions().get().orElseThrow());
        this.publisher = new OutboxRuntime(settings(), dependencies, List::of);
        this.operator = new OperationsRuntime(publisher);
        for (String worker : List.of("worker-1", "worker-2")) {
            workers.add(start(worker, handlers));
        }
    }

    private HikariDataSource pool(String application) {
        HikariConfig pool = new HikariConfig();
        pool.setDataSource(database.dataSource());
        pool.setConnectionInitSql("SET application_name = '" + application + "'");
        return new HikariDataSource(pool);
    }

    private Worker start(String name, Function<JdbcClient, List<HandlerDefinition>> handlers) {
        HikariDataSource own = pool(name);
        FactWriter written = FactWriter.open(directory, name);
        List<HandlerDefinition> recorded = handlers.apply(JdbcClient.create(own)).stream()
                .map((handler) -> RecordedHandler.of(handler, written))
                .toList();
        OutboxRuntime runtime = new OutboxRuntime(settings(), OutboxDependencies.of(own), () -> recorded);
        runtime.start();
        RecordedHandler.subscribed(written, recorded);
        return new Worker(written, own, runtime);
    }

    private static RuntimeSettings settings() {
        RetryPolicy atOnce = new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 3);
        PollerSettings poller =
                new PollerSettings(Duration.ofMillis(50), 200, Duration.ofSeconds(60), Duration.ofSeconds(10));
        return new RuntimeSettings(
                Schemas.defaults(),
                PublisherSettings.defaults(),
                new Polling(Set.of("default"), false, Map.of("default", poller)),
                new DispatchSettings(RetryPolicies.of(atOnce), Map.of()),
                RetentionSettings.defaults());
    }

    private static String stateChanges() {
        try (InputStream script = History.class.getResourceAsStream("state-changes.sql")) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    JdbcClient sql() {
        return sql;
    }

    OutboxOperations operations() {
        return operator.operations();
    }

    /** Publishes events in one transaction, each with its business row. */
    void publish(String transaction, List<IntendedEvent> events, boolean commits) {
        facts.write(new Intended(System.nanoTime(), "publisher", transaction, events));
        transactions.executeWithoutResult((status) -> {
            publish(transaction, events);
            if (!commits) {
                status.setRollbackOnly();
            }
        });
        facts.write(new Completed(
                System.nanoTime(), "publisher", transaction, commits ? Commit.COMMITTED : Commit.ABORTED));
    }

    private void publish(String transaction, List<IntendedEvent> events) {
        List<EventEnvelope> published = publisher
                .publisher()
                .publishAll(events.stream().map(RecordedRun::outboxEvent).toList());
        sql.sql("INSERT INTO chaos.ledger SELECT l.*, ? FROM unnest(?::uuid[], ?::text[], ?::bigint[]) l")
                .params(
                        transaction,
                        published.stream().map(EventEnvelope::eventId).toArray(UUID[]::new),
                        published.stream().map(EventEnvelope::aggregateId).toArray(String[]::new),
                        published.stream().map(EventEnvelope::sequence).toArray(Long[]::new))
                .update();
        published.forEach((event) -> facts.write(
                new Published(System.nanoTime(), "publisher", transaction, event.eventId(), event.sequence())));
    }

    private static OutboxEvent outboxEvent(IntendedEvent event) {
        OutboxEvent outboxEvent = OutboxEvent.of(
                        event.aggregateType(), event.aggregateId(), JSON.readTree(event.payload()))
                .withEventId(event.eventId())
                .withEventType(event.eventType());
        for (Map.Entry<String, String> header : event.headers().entrySet()) {
            outboxEvent = outboxEvent.withHeader(header.getKey(), header.getValue());
        }
        return outboxEvent;
    }

    boolean isBacklogEmpty() {
        return sql.sql("SELECT count(*) FROM events.outbox_unpublished o WHERE o.status <> 'DEAD'")
                        .query(Long.class)
                        .single()
                == 0;
    }

    Report check() {
        return new Checker(SETTINGS).check(History.read(directory, database.dataSource()));
    }

    void book(UUID eventId, String handler) {
        sql.sql("INSERT INTO chaos.booking VALUES (?, ?)")
                .params(eventId, handler)
                .update();
    }

    @Override
    public void close() {
        workers.forEach(Worker::close);
        facts.close();
        dataSource.close();
        database.close();
    }
}
