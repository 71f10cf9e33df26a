package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Server;
import dev.outbox.benchmarks.arena.Usage;
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
import java.sql.SQLException;
import java.time.Duration;

/**
 * Cost and latency of an event at a steady rate, by the number of instances that poll, which share a process. One of them
 * publishes, or a process that polls nothing.
 */
final class Instances extends Harm {

    private static final int PUBLISHERS = 8;
    private static final int CONNECTIONS = 16;
    private static final int WARM_UP = 5;

    Instances() {
        super("instances", "instances=1,8,32 publisher=polls,apart rate=200 seconds=5");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int rate = parameters.number("rate");
        int keys = parameters.number("keys");
        boolean elsewhere = !parameters.text("publisher").equals("polls");
        createTables(arena);
        WorkerProcess deliverer = arena.open(Role.deliverer(CONNECTIONS));
        WorkerProcess publisher = elsewhere ? arena.open(Role.publisher(CONNECTIONS)) : deliverer;
        publisher.remote().createAccounts(keys);
        for (int other = 1; other < parameters.number("instances"); other++) {
            deliverer.remote().perform("instance");
        }
        deliverer.remote().start();
        if (elsewhere) {
            publisher.remote().start();
        }
        arena.awaitJoining();
        publisher.remote().publishAtRate(rate, PUBLISHERS, keys, WARM_UP);
        arena.server().settle();
        boolean counts = countsStatements(arena.server());
        Usage before = arena.usage();
        long transactions = transactions(arena.server());
        long statements = counts ? statements(arena.server()) : 0;
        Published published = publisher.remote().publishAtRate(rate, PUBLISHERS, keys, parameters.number("seconds"));
        Window window = new Window(published.begun(), System.nanoTime());
        Usage used = arena.usage().since(before);
        double events = published.events();
        long calls = counts ? statements(arena.server()) - statements : 0;
        Measurement measurement = new Measurement()
                .with("transactions/event", (transactions(arena.server()) - transactions) / events)
                .with("statements/event", counts ? calls / events : Double.NaN);
        new Progress(arena).await(publisher.committed().size(), arena.deadline());

        Percentiles claims = claims(deliverer, window);
        return measurement
                .with("commit to handler", FirstCalls.of(deliverer).sinceCommit(publisher.committedSince(published)))
                .with("claims/event", claims.size() / events)
                .with("claim", claims)
                .with(used, published.events())
                .with(Deliveries.of(arena.workers()));
    }

    /** Sessions report their transactions within a second. */
    private static long transactions(Server server) throws SQLException {
        Pause.of(Duration.ofSeconds(2));
        return server.number(
                "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()");
    }

    /** With {@code -Dbenchmark.server.shared_preload_libraries=pg_stat_statements}. */
    private static boolean countsStatements(Server server) throws SQLException {
        boolean loaded = server.number("SELECT count(*) FROM pg_settings"
                        + " WHERE name = 'shared_preload_libraries' AND setting LIKE '%pg_stat_statements%'")
                > 0;
        if (loaded) {
            server.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
        }
        return loaded;
    }

    private static long statements(Server server) throws SQLException {
        return server.number("SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements");
    }
}
