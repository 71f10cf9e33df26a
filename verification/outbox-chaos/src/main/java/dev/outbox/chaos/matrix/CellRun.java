package dev.outbox.chaos.matrix;

import dev.outbox.chaos.check.CheckSettings;
import dev.outbox.chaos.check.Checker;
import dev.outbox.chaos.check.Report;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.Fact;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.history.History;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** One run of a cell: two processes work, one of them fails at the point, the system recovers, and the checker decides. */
final class CellRun implements AutoCloseable {

    static final String VICTIM = "victim";
    static final String SURVIVOR = "survivor";

    private static final Duration HIT_WITHIN = Duration.ofSeconds(30);
    private static final Duration RECOVERED_WITHIN = Duration.ofSeconds(20);
    private static final Duration SUSPENSION = CellOutbox.LEASE.multipliedBy(13).dividedBy(10);
    private static final Duration BETWEEN_RESTARTS = Duration.ofSeconds(2);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(25);

    private static final CheckSettings SETTINGS = new CheckSettings(
            CellOutbox.LEASE,
            RECOVERED_WITHIN.plus(HIT_WITHIN),
            RECOVERED_WITHIN.plus(HIT_WITHIN),
            CellOutbox.MAX_ATTEMPTS,
            CellOutbox.MAX_CRASHES);

    private final Cell cell;
    private final String name;
    private final MatrixServer server;
    private final ActorProcess victim;
    private final ActorProcess survivor;
    private final Path facts;
    private final FactWriter nemesis;
    private final JdbcClient sql;
    private final Assignment.Database database;
    private long forgottenBytes;
    private @Nullable Report report;

    CellRun(Cell cell, String name, MatrixServer server, ActorProcess victim, ActorProcess survivor, Path facts) {
        this.cell = cell;
        this.name = name;
        this.server = server;
        this.victim = victim;
        this.survivor = survivor;
        this.facts = facts;
        this.nemesis = FactWriter.open(facts, "nemesis");
        this.database = server.create(name);
        this.sql = JdbcClient.create(server.dataSource(name));
    }

    /** Lets both processes publish and handle without a fault: a cold one may be too slow for its lease. */
    void warmUp() {
        String directory = facts.toString();
        survivor.begin(new Assignment(SURVIVOR, database, directory, Scenario.SURVIVE, null, 0, true, 3));
        victim.begin(new Assignment(VICTIM, database, directory, Scenario.FLOW, null, 0, true, 3));
        survivor.call("publish");
        victim.call("quiet");
        recovers();
        victim.call("end");
        survivor.call("end");
    }

    /** Returns what is wrong; an unhit point is. */
    List<String> run() {
        survivor.begin(new Assignment(
                SURVIVOR, database, facts.toString(), Scenario.SURVIVE, null, 0, cell.together(), cell.concurrency()));
        victim.begin(new Assignment(
                VICTIM,
                database,
                facts.toString(),
                cell.scenario(),
                cell.point(),
                cell.hit(),
                true,
                cell.concurrency()));
        if (!victim.isHitWithin(HIT_WITHIN)) {
            return List.of(cell + " was not hit within " + HIT_WITHIN);
        }
        inflict();
        if (victim.isAlive()) {
            victim.call("quiet");
        }
        survivor.call("publish");
        if (!recovers()) {
            return List.of("the backlog is not empty after " + RECOVERED_WITHIN + ": " + backlog());
        }
        if (victim.isAlive()) {
            victim.call("end");
        }
        survivor.call("repeat " + cell.scenario() + ' ' + cell.hit());
        survivor.call("end");
        Report checked = new Checker(SETTINGS).check(History.read(facts, server.dataSource(name)));
        report = checked;
        List<String> broken = new ArrayList<>(cell.scenario().broken(sql));
        checked.violations().forEach((violation) -> broken.add(violation.toString()));
        if (!broken.isEmpty() || Boolean.getBoolean("matrix.keep")) {
            keepStateChanges();
        }
        return broken;
    }

    /** Saves the recorded state changes, because the database of the cell is dropped. */
    private void keepStateChanges() {
        List<String> changes = sql.sql("SELECT to_jsonb(c)::text FROM chaos.state_change c ORDER BY c.id")
                .query(String.class)
                .list();
        try {
            Files.write(facts.resolve("state-changes.json"), changes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void inflict() {
        switch (cell.kind()) {
            case KILL -> {
                begun(Fact.Kind.KILL, VICTIM);
                victim.kill();
                ended(Fact.Kind.KILL, VICTIM);
                survivor.call("start");
            }
            case SUSPEND -> {
                begun(Fact.Kind.SUSPEND, VICTIM);
                victim.suspend();
                long until = System.nanoTime() + SUSPENSION.toNanos();
                survivor.call("start");
                Pause.of(Duration.ofNanos(until - System.nanoTime()));
                // The command waits in the pipe: the held thread continues when the process does.
                victim.tell("go");
                victim.resume();
                ended(Fact.Kind.SUSPEND, VICTIM);
                victim.answer("go");
            }
            case CUT -> {
                begun(Fact.Kind.BACKENDS_TERMINATED, VICTIM);
                server.cut(VICTIM);
                ended(Fact.Kind.BACKENDS_TERMINATED, VICTIM);
                victim.call("go");
                survivor.call("start");
            }
            case CRASH -> {
                begun(Fact.Kind.DATABASE_CRASH, "server");
                forgottenBytes = server.crash();
                if (cell.early()) {
                    victim.call("go");
                }
                server.start();
                ended(Fact.Kind.DATABASE_CRASH, "server");
                if (!cell.early()) {
                    victim.call("go");
                }
                survivor.call("start");
            }
        }
    }

    private void begun(Fact.Kind kind, String target) {
        nemesis.write(Fact.Fault.begun(System.nanoTime(), kind, target, cell.toString()));
    }

    private void ended(Fact.Kind kind, String target) {
        nemesis.write(Fact.Fault.ended(System.nanoTime(), kind, target, cell.toString()));
    }

    private boolean recovers() {
        long deadline = System.nanoTime() + RECOVERED_WITHIN.toNanos();
        long nextRestart = System.nanoTime();
        while (System.nanoTime() < deadline) {
            if (backlog().isEmpty()) {
                return true;
            }
            if (cell.scenario() == Scenario.EXPIRY && System.nanoTime() > nextRestart && Ghost.waiting(sql) > 0) {
                // A process looks for expired registrations when it starts, and then once a minute.
                Ghost.expire(sql);
                survivor.call("restart");
                nextRestart = System.nanoTime() + BETWEEN_RESTARTS.toNanos();
            }
            Pause.of(BETWEEN_LOOKS);
        }
        return false;
    }

    private List<String> backlog() {
        try {
            return sql.sql("""
                    SELECT 'event ' || o.event_id || ' ' || o.aggregate_id || '#' || o.aggregate_seq || ' ' || o.status
                    FROM events.outbox_unpublished o
                    WHERE o.status <> 'DEAD'
                    UNION ALL
                    SELECT 'delivery of ' || d.handler_id || ' ' || d.outbox_id || ' ' || d.status
                    FROM events.outbox_delivery d
                    WHERE d.status = 'OPEN'
                    UNION ALL
                    SELECT 'scheduled event ' || s.event_id || ' ' || s.aggregate_id
                    FROM events.outbox_scheduled s
                    WHERE s.due_at < now() + interval '1 minute'
                    UNION ALL
                    SELECT 'replay ' || r.id || ' after ' || r.after_id
                    FROM events.outbox_replay r
                    WHERE r.finished_at IS NULL
                    """).query(String.class).list();
        } catch (DataAccessException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }

    /** What the checker found; {@code null} if the cell did not come that far. */
    @Nullable
    Report report() {
        return report;
    }

    /** Bytes of the server's log that the crash forgot. */
    long forgottenBytes() {
        return forgottenBytes;
    }

    @Override
    public void close() {
        nemesis.close();
        server.drop(name);
    }
}
