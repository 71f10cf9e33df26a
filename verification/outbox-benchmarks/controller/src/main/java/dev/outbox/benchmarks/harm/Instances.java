package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Command;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.Server;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.harm.Harm.Window;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Message;
import dev.outbox.benchmarks.workload.Deliveries;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Pause;
import dev.outbox.benchmarks.workload.Percentiles;
import dev.outbox.benchmarks.workload.Progress;
import dev.outbox.benchmarks.workload.Workload;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cost and latency of an event at a steady rate, by the number of instances that poll. They share a process.
 *
 * @param instances the number of instances
 * @param elsewhere whether a process that polls nothing publishes, instead of one of the instances
 * @param rate events per second
 * @param seconds the duration
 * @param harm the settings of all harm tests
 */
record Instances(int instances, boolean elsewhere, int rate, int seconds, Harm harm) implements Workload {

    private static final int PUBLISHERS = 8;
    private static final int CONNECTIONS = 16;
    private static final int WARM_UP = 5;

    @Override
    public String name() {
        return "harm-instances";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("instances", Integer.toString(instances));
        parameters.put("publisher", elsewhere ? "polls nothing" : "polls");
        parameters.put("rate", rate + "/s");
        parameters.put("seconds", Integer.toString(seconds));
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return new Headline("server CPU µs/event", List.of());
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        harm.createTables(arena);
        WorkerProcess deliverer = arena.open(new Role(true, 1, CONNECTIONS, Role.Calls.NOTHING));
        WorkerProcess publisher =
                elsewhere ? arena.open(new Role(false, 1, CONNECTIONS, Role.Calls.NOTHING)) : deliverer;
        publisher.send(Command.to("accounts").with("accounts", harm.keys()));
        for (int other = 1; other < instances; other++) {
            deliverer.send(Command.to("perform").with("task", "instance"));
        }
        deliverer.send("start");
        if (elsewhere) {
            publisher.send("start");
        }
        Pause.of(harm.limits().joining());
        publish(publisher, WARM_UP);
        arena.server().settle();
        boolean counts = countsStatements(arena.server());
        Usage before = arena.usage();
        long transactions = transactions(arena.server());
        long statements = counts ? statements(arena.server()) : 0;
        Message published = publish(publisher, seconds);
        Window window = new Window(published.longNumber("begun"), System.nanoTime());
        Usage used = arena.usage().since(before);
        double events = published.number("events");
        long calls = counts ? statements(arena.server()) - statements : 0;
        Measurement measurement = new Measurement()
                .with("transactions/event", (transactions(arena.server()) - transactions) / events)
                .with("statements/event", counts ? calls / events : Double.NaN);
        new Progress(arena)
                .await(
                        publisher.committed().size(),
                        System.nanoTime() + harm.limits().longest().toNanos());

        Percentiles claims = Harm.claims(deliverer, window);
        return measurement
                .with("commit to handler", latencies(publisher, deliverer, published.number("first")))
                .with("claims/event", claims.size() / events)
                .with("claim", claims)
                .with(used, published.number("events"))
                .with(Deliveries.of(arena.workers(), 1))
                .with(deliverer.settings());
    }

    private Message publish(WorkerProcess worker, int duration) throws IOException {
        worker.send(Command.to("pace")
                .with("rate", rate)
                .with("threads", PUBLISHERS)
                .with("keys", harm.keys())
                .with("shared", false)
                .with("seconds", duration));
        return worker.send("await");
    }

    private static Percentiles latencies(WorkerProcess publisher, WorkerProcess deliverer, int first)
            throws IOException {
        Map<Integer, Long> called = new HashMap<>();
        for (Entry call : deliverer.handled().entries()) {
            called.merge(call.number(), call.begun(), Math::min);
        }
        return new Percentiles(publisher.committed().entries().stream()
                .filter((committed) -> committed.number() >= first)
                .mapToLong((committed) ->
                        Math.max(0, called.getOrDefault(committed.number(), Long.MAX_VALUE) - committed.ended())));
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
