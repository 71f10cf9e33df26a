package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Server;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.workload.Deliveries;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Percentiles;
import dev.outbox.benchmarks.workload.Progress;
import dev.outbox.benchmarks.workload.Workload;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Delay of scheduled events that become due at a steady rate, while others are scheduled for later.
 *
 * @param later the number of events that are due after the run
 * @param rate the number of events that become due in a second
 * @param seconds the duration
 * @param harm the settings of all harm tests
 */
record DueEvents(long later, int rate, int seconds, Harm harm) implements Workload {

    private static final long SECOND = 1_000_000_000;

    @Override
    public String name() {
        return "harm-schedule";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("later", Long.toString(later));
        parameters.put("due", rate + "/s");
        parameters.put("seconds", Integer.toString(seconds));
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return new Headline("due to handler p50 ms", List.of());
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        harm.createTables(arena);
        Tables.addScheduled(arena.server(), later, harm.keys());
        arena.server().settle();
        int events = rate * seconds;
        WorkerProcess worker = harm.deliverer(arena);
        Tables.addDue(arena.server(), events, harm.keys(), rate);
        long first = firstDue(arena.server());
        worker.send("start");
        new Progress(arena)
                .await(
                        events,
                        first + seconds * SECOND + harm.limits().longest().toNanos());

        List<Entry> handled = worker.handled().entries();
        return new Measurement()
                .with(
                        "due to handler",
                        new Percentiles(handled.stream()
                                .mapToLong((call) -> call.begun() - first - call.number() * SECOND / rate)))
                .with(Deliveries.of(scheduled(events), handled, 1))
                .with(worker.settings());
    }

    /** Returns when the first event is due, as a value of {@link System#nanoTime}. */
    private static long firstDue(Server server) throws SQLException {
        long due = server.number(
                "SELECT (extract(epoch FROM min(due_at)) * 1000000)::bigint FROM events.outbox_scheduled");
        long before = System.nanoTime();
        long now = server.number("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint");
        return (before + System.nanoTime()) / 2 + (due - now) * 1000;
    }

    private List<Entry> scheduled(int events) {
        return IntStream.range(0, events)
                .mapToObj((number) -> new Entry(0, number, number % harm.keys(), number / harm.keys() + 1, 0, 0))
                .toList();
    }
}
