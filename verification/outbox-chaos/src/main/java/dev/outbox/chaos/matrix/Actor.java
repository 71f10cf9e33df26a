package dev.outbox.chaos.matrix;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.OutboxException;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.process.BusinessTables;
import dev.outbox.chaos.process.Publisher;
import dev.outbox.chaos.process.StallWatch;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionException;

/** Plays the part of one process in one cell. */
final class Actor implements AutoCloseable {

    private static final int PUBLISHED_AFTERWARDS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Assignment assignment;
    private final FactWriter facts;
    private final StallWatch stalls;
    private final FactHandlers handlers;
    private final CellOutbox outbox;
    private final Publications publications;
    private final ScenarioRunner runner;

    Actor(Assignment assignment) {
        this.assignment = assignment;
        this.facts = FactWriter.open(Path.of(assignment.facts()), assignment.process());
        this.stalls = new StallWatch(facts);
        HikariDataSource pool = CellOutbox.open(assignment);
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        this.handlers = new FactHandlers(facts, new BusinessTables(jdbc));
        this.outbox = CellOutbox.of(pool, assignment, handlers::definitions);
        this.publications =
                new Publications(new Publisher(() -> outbox.runtime().publisher(), outbox.transactions(), jdbc, facts));
        this.runner = new ScenarioRunner(assignment.scenario(), outbox, publications, handlers, facts);
    }

    /** Begins to work; one that survives registers its handlers first. */
    void begin(Runnable sprung) {
        if (assignment.point() != null) {
            Trap.arm(assignment.point(), assignment.hit(), sprung);
        }
        if (assignment.scenario() == Scenario.SURVIVE) {
            outbox.runtime().start();
            handlers.subscribed();
            if (!assignment.polls()) {
                outbox.runtime().close();
            }
        } else {
            runner.start();
        }
    }

    /** Starts to handle events. Does nothing if it does already. */
    void start() {
        outbox.runtime().start();
    }

    void restart() {
        outbox.restart();
    }

    void quiet() throws InterruptedException {
        runner.finish();
    }

    /** Repeats what may have been interrupted. */
    void repeat(Scenario interrupted, int number) {
        whileConnectionsAreBroken(() -> runner.repeat(interrupted, number));
    }

    /** Shows that every aggregate is open for new events. */
    void publish() {
        for (int published = 0; published < PUBLISHED_AFTERWARDS; published++) {
            whileConnectionsAreBroken(() -> publications.publish(
                    publications.order(Work.quick(publications.nextNumber())),
                    publications.order(Work.failing(publications.nextNumber(), 0))));
        }
    }

    /** Tries again while the pool still holds broken connections. */
    private static void whileConnectionsAreBroken(Runnable action) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                action.run();
                return;
            } catch (TransactionException | DataAccessException | OutboxException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void close() {
        Trap.release();
        try {
            runner.finish();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        outbox.close();
        stalls.close();
        facts.close();
    }
}
