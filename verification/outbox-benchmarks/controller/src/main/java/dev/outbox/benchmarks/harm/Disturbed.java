package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Server;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.worker.Pause;
import dev.outbox.benchmarks.worker.Published;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.workload.Deliveries;
import dev.outbox.benchmarks.workload.FirstCalls;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Percentiles;
import dev.outbox.benchmarks.workload.Progress;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.FutureTask;

/** Compares publishing and delivering at a steady rate before and during a disturbance. */
final class Disturbed extends Harm {

    private static final int PUBLISHERS = 16;

    /** More than the 30 days that retention keeps by default. */
    private static final int YOUNGEST_DAYS = 31;

    private static final String COUNT_ONE = """
            INSERT INTO events.outbox_aggregate (aggregate_type, aggregate_id, last_seq)
            VALUES ('held', '1', 1)
            """;

    private static final String PUBLISH_ONE = """
            INSERT INTO events.outbox_unpublished (aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
            VALUES ('held', '1', 1, 'AccountChanged', '{}')
            """;

    /** Disturbs for a time, unless it ends by itself, and returns the rows that it moved. */
    private interface Disturbance {
        long disturb(Arena arena, WorkerProcess worker, Duration duration) throws Exception;
    }

    private final Disturbance disturbance;

    private Disturbed(String name, Disturbance disturbance, String options) {
        super(name, options);
        this.disturbance = disturbance;
    }

    /** Holds a snapshot, so that VACUUM cannot remove rows deleted since. */
    static Disturbed bySnapshot() {
        return byTransaction(
                "snapshot",
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
                "SELECT count(*) FROM events.outbox_unpublished");
    }

    /** Holds a transaction open that has published an event with a low id. */
    static Disturbed byTransaction() {
        return byTransaction("transaction", COUNT_ONE, PUBLISH_ONE);
    }

    private static Disturbed byTransaction(String name, String... statements) {
        return new Disturbed(
                name,
                (arena, worker, duration) -> hold(arena.server(), duration, statements),
                "rate=200 before=5 during=10");
    }

    private static long hold(Server server, Duration duration, String... statements) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (String sql : statements) {
                statement.execute(sql);
            }
            Pause.of(duration);
            connection.rollback();
        }
        return 0;
    }

    /** Runs the retention that moves old history to the archive. */
    static Disturbed byRetention() {
        return new Disturbed(
                "retention",
                (arena, worker, duration) -> worker.remote().perform("retention"),
                "rate=200 before=5 during=10 expired=10000");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int before = parameters.number("before");
        int during = parameters.number("during");
        int keys = parameters.number("keys");
        createTables(arena);
        if (options().containsKey("expired")) {
            Tables.addHistory(arena.server(), parameters.number("expired"), keys, YOUNGEST_DAYS);
        }
        WorkerProcess worker = arena.open(Role.deliverer(arena.pool()));
        worker.remote().createAccounts(keys);
        worker.remote().start();
        arena.server().settle();
        long begun = System.nanoTime();
        FutureTask<Published> publishing = new FutureTask<>(
                () -> worker.remote().publishAtRate(parameters.number("rate"), PUBLISHERS, keys, before + during));
        new Thread(publishing, "publishing").start();
        Pause.of(Duration.ofSeconds(before));
        long disturbed = System.nanoTime();
        long done = disturbance.disturb(arena, worker, Duration.ofSeconds(during));
        long undisturbed = System.nanoTime();
        Published published = publishing.get();
        new Progress(arena).await(worker.committed().size(), arena.deadline());

        // Leaves out the first third, in which the JVM is cold.
        Window calm = new Window(begun + (disturbed - begun) / 3, disturbed);
        Window storm = new Window(disturbed, Math.min(undisturbed, published.ended()));
        Window end = new Window(storm.end() - (storm.end() - storm.begin()) / 4, storm.end());
        Measurement measurement = new Measurement()
                .with("delivered/s during ÷ before", rate(worker, storm) / rate(worker, calm))
                .with(
                        "claim p99 during ÷ before",
                        claims(worker, storm).millis(0.99)
                                / claims(worker, calm).millis(0.99));
        add(measurement, "before", worker, calm);
        add(measurement, "during", worker, storm);
        add(measurement, "at the end", worker, end);
        return measurement
                .with("seconds disturbed", (undisturbed - disturbed) / 1e9)
                .with("rows moved/s", done / ((undisturbed - disturbed) / 1e9))
                .with(Deliveries.of(arena.workers()));
    }

    private static double rate(WorkerProcess worker, Window window) throws IOException {
        return worker.handled().entries().stream()
                        .filter((call) -> window.holds(call.ended()))
                        .count()
                / window.seconds();
    }

    private static void add(Measurement measurement, String when, WorkerProcess worker, Window window)
            throws IOException {
        Percentiles claims = claims(worker, window);
        Percentiles latencies = FirstCalls.of(worker)
                .sinceCommit(worker.committed().entries().stream()
                        .filter((committed) -> window.holds(committed.ended()))
                        .toList());
        measurement
                .with("delivered/s " + when, rate(worker, window))
                .with("commit to handler p50 ms " + when, latencies.millis(0.5))
                .with("commit to handler p99 ms " + when, latencies.millis(0.99))
                .with("claim p50 ms " + when, claims.millis(0.5))
                .with("claim p99 ms " + when, claims.millis(0.99));
    }
}
