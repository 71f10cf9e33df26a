package dev.outbox.chaos.matrix;

import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.matrix.Publications.Planned;
import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Repeats the work of a scenario until it is stopped. After a round that fails because of a fault, the next one starts. */
final class ScenarioRunner {

    private static final Logger log = LoggerFactory.getLogger(ScenarioRunner.class);

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int SLOW_MILLIS = (int) CellOutbox.LEASE.toMillis() / 2;
    private static final Duration LOCK = Duration.ofMillis(1400);
    private static final Duration DELAY = Duration.ofMillis(50);
    private static final Duration LATER = Duration.ofHours(1);

    private final Scenario scenario;
    private final CellOutbox outbox;
    private final Publications publications;
    private final FactHandlers handlers;
    private final FactWriter facts;
    private final JdbcClient sql;
    private final Thread thread;
    private volatile boolean quiet;
    private int rounds;

    ScenarioRunner(
            Scenario scenario, CellOutbox outbox, Publications publications, FactHandlers handlers, FactWriter facts) {
        this.scenario = scenario;
        this.outbox = outbox;
        this.publications = publications;
        this.handlers = handlers;
        this.facts = facts;
        this.sql = JdbcClient.create(outbox.dataSource());
        this.thread = new Thread(this::run, "scenario");
    }

    void start() {
        thread.start();
    }

    /** Lets the current round be the last, and waits for its end. */
    void finish() throws InterruptedException {
        quiet = true;
        thread.join();
    }

    private void run() {
        if (scenario != Scenario.MIGRATION) {
            outbox.runtime().start();
        }
        while (!quiet) {
            rounds++;
            try {
                runOnce();
            } catch (SQLException | RuntimeException e) {
                log.info("a round of {} failed", scenario, e);
                pause(50);
            }
        }
    }

    private void runOnce() throws SQLException {
        switch (scenario) {
            case SURVIVE -> pause(10);
            case FLOW -> flow();
            case SLOW -> {
                publications.publish(order(Work.slow(publications.nextNumber(), SLOW_MILLIS)));
                pause(SLOW_MILLIS);
            }
            case RESTART -> {
                publications.publish(order(Work.slow(publications.nextNumber(), 60)), quick());
                publications.publish(failing(60), quick());
                outbox.restart();
                pause(50);
            }
            case RETENTION -> retain();
            case ERASURE -> {
                fill();
                erase();
                pause(30);
            }
            case REPLAY -> replay();
            case EXPIRY -> expire();
            case MIGRATION -> migrate(rounds);
            case CONTENTION -> contend(order(Work.slow(publications.nextNumber(), 150)), 1);
            case LOCKED_REDELIVERY -> contend(failing(150), 2);
            case REFUSAL -> {
                Work work = Work.quick(publications.nextNumber());
                publications.publish(quick(), Planned.of("refused", "r-" + rounds, work), quick());
                pause(200);
            }
        }
    }

    private void flow() {
        publications.publish(quick(), failing(0), quick().dueAfter(DELAY));
        if (rounds % 5 == 0) {
            publications.abort(quick());
        }
        publications.publish(quick(), quick(), quick());
        pause(20);
    }

    /** The first run has nothing that is old. */
    private void retain() throws SQLException {
        publishOneOfEachKind();
        sql.sql("SELECT chaos.age()").query((row) -> {});
        outbox.runtime().retention().runOnce();
        pause(30);
    }

    /** Waits until four orders have a dead letter and a published event. */
    private void publishOneOfEachKind() {
        publications.publish(quick(), quick(), quick(), quick());
        publications.publish(dying(), dying(), dying(), dying());
        await(() -> count("SELECT count(*) FROM events.outbox_unpublished WHERE status <> 'DEAD'") == 0);
    }

    /** Fills the archive, and then the queue and the schedule. */
    private void fill() throws SQLException {
        publishOneOfEachKind();
        outbox.runtime().retention().runOnce();
        publications.publish(quick(), quick(), quick(), quick());
        publications.publish(
                later(),
                later(),
                later(),
                later(),
                failing(0),
                failing(0),
                failing(0),
                failing(0),
                quick(),
                quick(),
                quick(),
                quick());
    }

    private void erase() {
        OutboxOperations operations = outbox.operator().operations();
        operations.erase(Erasure.ofAggregate("order", "o-0").withoutDelivery(), facts.process(), "wants no event");
        operations.erase(Erasure.ofAggregate("order", "o-1").afterDelivery(), facts.process(), "has got its events");
    }

    /** Repeats a call that may have been interrupted in another process. */
    void repeat(Scenario interrupted, int number) {
        switch (interrupted) {
            case MIGRATION -> migrate(number);
            case ERASURE -> erase();
            case RETENTION -> {
                try {
                    // The first run skips dead letters, and the second one archives their events.
                    outbox.runtime().retention().runOnce();
                    outbox.runtime().retention().runOnce();
                } catch (SQLException e) {
                    throw new UncategorizedSQLException("repeat retention", null, e);
                }
            }
            default -> {}
        }
    }

    private void replay() {
        if (rounds == 1) {
            for (int i = 0; i < 10; i++) {
                publications.publish(quick());
            }
            await(() -> count("SELECT count(*) FROM events.outbox_unpublished") == 0);
        }
        outbox.operator()
                .replays()
                .start(ReplayRequest.of(FactHandlers.SHIP).rate(50), facts.process(), "the scenario replays");
        publications.publish(quick());
        pause(300);
    }

    private void expire() {
        Ghost.register(sql);
        outbox.restart();
        publications.publish(quick(), quick(), quick());
        await(() -> Ghost.waiting(sql) > 0);
        Ghost.expire(sql);
        outbox.restart();
        pause(50);
    }

    private void migrate(int number) {
        OutboxMigrations migrations = new OutboxMigrations(
                outbox.dataSource(), new OutboxSchema("m" + number), new OutboxSchema("m" + number + "_archive"));
        migrations.migrate();
        migrations.validate();
    }

    /** Locks the event's row once a handler works on it, for longer than a settlement waits. */
    private void contend(Planned event, int attempt) throws SQLException {
        publications.publish(event, quick(), quick());
        await(() -> handlers.attemptOf(event.eventId()) >= attempt);
        try (OpenTransaction other = OpenTransaction.of(outbox.dataSource())) {
            other.run("SELECT id FROM events.outbox_unpublished WHERE event_id = '" + event.eventId() + "' FOR UPDATE");
            pause(LOCK.toMillis());
        }
    }

    private Planned quick() {
        return order(Work.quick(publications.nextNumber()));
    }

    private Planned failing(int millis) {
        return order(Work.failing(publications.nextNumber(), millis));
    }

    private Planned dying() {
        return order(Work.dying(publications.nextNumber()));
    }

    private Planned later() {
        return quick().dueAfter(LATER);
    }

    private Planned order(Work work) {
        return publications.order(work);
    }

    private long count(String query) {
        return sql.sql(query).query(Long.class).single();
    }

    private void await(BooleanSupplier condition) {
        Pause.until(PATIENCE, () -> quiet || condition.getAsBoolean());
    }

    private static void pause(long millis) {
        Pause.of(Duration.ofMillis(millis));
    }
}
