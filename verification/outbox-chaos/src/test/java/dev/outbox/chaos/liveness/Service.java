package dev.outbox.chaos.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.check.CheckSettings;
import dev.outbox.chaos.check.Checker;
import dev.outbox.chaos.check.Report;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.RunTables;
import dev.outbox.chaos.process.BusinessTables;
import dev.outbox.chaos.process.Publisher;
import dev.outbox.chaos.process.Publisher.Plan;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A service with default settings: a database of its own, one instance that publishes, and others that handle events. */
public final class Service implements AutoCloseable {

    private static final String PUBLISHER = "publisher";
    private static final String AGGREGATE_TYPE = "order";
    private static final String PAYLOAD = "{}";

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private final JdbcClient sql = JdbcClient.create(database.dataSource());
    private final Map<String, Instance> instances = new ConcurrentHashMap<>();
    private final Path directory;
    private final FactWriter faults;
    private final Instance publisher;
    private final Publisher publications;

    /** Creates the database, and starts the instance that publishes. */
    public Service(Path directory) {
        this.directory = directory;
        RunTables.create(database.dataSource(), RunTables.LEDGER);
        faults = FactWriter.open(directory, "faults");
        FactWriter published = FactWriter.open(directory, PUBLISHER);
        publisher = new Instance(PUBLISHER, database, published, List.of(), "--outbox.poller.enabled=false");
        publications = new Publisher(publisher::publisher, publisher.transactions(), publisher.jdbc(), published);
    }

    /** Starts an instance with handlers; options deviate from the defaults. */
    public void start(String name, List<HandlerDefinition> handlers, String... options) {
        instances.put(name, new Instance(name, database, FactWriter.open(directory, name), handlers, options));
    }

    /** Stops an instance in order. */
    void stop(String name) {
        faults.write(Fault.begun(System.nanoTime(), Kind.STOP, name, ""));
        instances.remove(name).close();
        faults.write(Fault.ended(System.nanoTime(), Kind.STOP, name, ""));
    }

    /** Freezes the open connections of an instance; may be called by its handler. */
    void freeze(String name) {
        freeze(name, (port) -> true);
    }

    /** Freezes the connection on which the only instance that handles events waits for notifications. */
    void freezeListener(String name) {
        Set<Integer> ports = new TreeSet<>(sql.sql("""
                        SELECT a.client_port FROM pg_stat_activity a
                        WHERE a.datname = current_database() AND a.application_name = 'outbox-listener'
                        """).query(Integer.class).list());
        assertThat(ports).as("connections that listen").hasSize(1);
        freeze(name, ports::contains);
    }

    private void freeze(String name, IntPredicate ports) {
        faults.write(Fault.begun(System.nanoTime(), Kind.CONNECTIONS_FROZEN, name, ""));
        assertThat(instances.get(name).network().freeze(ports))
                .as("frozen connections")
                .isPositive();
    }

    /** Freezes the open connections of an instance while PostgreSQL works at its next claim: the claim commits, and is not answered. */
    void freezeDuringNextClaim(String name, Runnable publish) {
        sql.sql("""
                CREATE FUNCTION chaos.delay_claim() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM pg_sleep(2);
                    RETURN NULL;
                END
                $$
                """).update();
        sql.sql("CREATE TRIGGER delayed AFTER INSERT ON events.outbox_claim EXECUTE FUNCTION chaos.delay_claim()")
                .update();
        publish.run();
        assertThat(Pause.until(Duration.ofSeconds(30), () -> isDelayed(name)))
                .as("a claim is in flight")
                .isTrue();
        freeze(name);
        sql.sql("DROP TRIGGER delayed ON events.outbox_claim").update();
    }

    private boolean isDelayed(String name) {
        return sql.sql("""
                        SELECT count(*) FROM pg_stat_activity a
                        WHERE a.datname = current_database() AND a.application_name = ? AND a.wait_event = 'PgSleep'
                        """).param(name).query(Long.class).single() > 0;
    }

    /** Cuts an instance off for good, without an end of its connections, as if its host had vanished. */
    void vanish(String name) {
        faults.write(Fault.begun(System.nanoTime(), Kind.CONNECTIONS_FROZEN, name, "with its host"));
        instances.get(name).network().blackHole();
    }

    /** Makes a subscription look as if instances had renewed the others of its handler for some time, and not this one. */
    void ageSubscription(String handler, String eventType, Duration age) {
        faults.write(Fault.begun(System.nanoTime(), Kind.SUBSCRIPTION_AGED, handler, eventType));
        sql.sql("""
                UPDATE events.outbox_subscription s SET last_seen_at = now() - make_interval(secs => ?)
                WHERE s.handler_id = ? AND s.event_type = ?
                """).params(age.toSeconds(), handler, eventType).update();
    }

    static IntendedEvent event(String type, String aggregate) {
        return new IntendedEvent(UUID.randomUUID(), type, AGGREGATE_TYPE, aggregate, PAYLOAD, Map.of());
    }

    /** Publishes events in one transaction. */
    void publish(IntendedEvent... events) {
        publish(List.of(events), true);
    }

    /** Publishes events, sorted by aggregate, in one transaction that commits or rolls back. */
    public void publish(List<IntendedEvent> events, boolean commits) {
        Commit outcome = publications.publish(new Plan(events, Map.of(), !commits, true));
        assertThat(outcome).isEqualTo(commits ? Commit.COMMITTED : Commit.ABORTED);
    }

    /** Writes the effect of a deduplicating handler, in the transaction of its instance. */
    public void book(String instance, UUID eventId, String handler) {
        new BusinessTables(instances.get(instance).jdbc()).book(eventId, handler);
    }

    /** Publishes an event of each of some aggregates in turn, at a steady rate, until a time has passed. */
    void publishSteadily(String type, int aggregates, Duration between, Duration time) {
        long begun = System.nanoTime();
        for (int i = 0; System.nanoTime() - begun < time.toNanos(); i++) {
            publish(event(type, type + "-" + i % aggregates));
            Pause.of(Duration.ofNanos(begun + (i + 1) * between.toNanos() - System.nanoTime()));
        }
    }

    /** Fails unless all events of some types, of all types if none is given, are handled within a time. */
    public void awaitHandled(Duration bound, String... types) {
        boolean handled = Pause.until(bound, () -> unhandled(types) == 0);
        assertThat(handled)
                .as("%d events are not handled %s later: %s", unhandled(types), bound, directory)
                .isTrue();
    }

    /** Returns the number of events that are not handled. */
    long unhandled(String... types) {
        return sql.sql("""
                        SELECT count(*) FROM events.outbox_unpublished o
                        WHERE cardinality(:types) = 0 OR o.event_type = ANY (:types)
                        """).param("types", types).query(Long.class).single();
    }

    /** The database, by connections that no network disturbs. */
    public JdbcClient sql() {
        return sql;
    }

    /** What operators do. */
    public OutboxOperations operations() {
        return publisher.operations();
    }

    /** Checks the history so far. */
    public Report check(CheckSettings settings) {
        return new Checker(settings).check(History.read(directory, database.dataSource()));
    }

    @Override
    public void close() {
        instances.values().forEach(Instance::close);
        publisher.close();
        faults.close();
        database.close();
    }
}
