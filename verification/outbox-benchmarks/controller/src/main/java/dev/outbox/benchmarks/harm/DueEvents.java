package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Server;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.workload.Deliveries;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Percentiles;
import dev.outbox.benchmarks.workload.Progress;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;

/** Delay of scheduled events that become due at a steady rate, while others are scheduled for later. */
final class DueEvents extends Harm {

    private static final long SECOND = 1_000_000_000;

    DueEvents() {
        super("schedule", "due=200,2000 later=10000 seconds=5");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int rate = parameters.number("due");
        int seconds = parameters.number("seconds");
        int keys = parameters.number("keys");
        createTables(arena);
        Tables.addScheduled(arena.server(), parameters.number("later"), keys);
        arena.server().settle();
        int events = rate * seconds;
        WorkerProcess worker = arena.open(Role.deliverer(arena.pool()));
        Tables.addDue(arena.server(), events, keys, rate);
        long first = firstDue(arena.server());
        worker.remote().start();
        new Progress(arena).await(events, arena.deadline() + seconds * SECOND);

        List<Entry> handled = worker.handled().entries();
        return new Measurement()
                .with(
                        "due to handler",
                        new Percentiles(handled.stream()
                                .mapToLong((call) -> call.begun() - first - call.number() * SECOND / rate)))
                .with(Deliveries.of(scheduled(events, keys), handled));
    }

    /** Returns when the first event is due, as a value of {@link System#nanoTime}. */
    private static long firstDue(Server server) throws SQLException {
        long due = server.number(
                "SELECT (extract(epoch FROM min(due_at)) * 1000000)::bigint FROM events.outbox_scheduled");
        long before = System.nanoTime();
        long now = server.number("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint");
        return (before + System.nanoTime()) / 2 + (due - now) * 1000;
    }

    private static List<Entry> scheduled(int events, int keys) {
        return IntStream.range(0, events)
                .mapToObj((number) -> new Entry(number, number % keys, number / keys + 1, 0, 0))
                .toList();
    }
}
