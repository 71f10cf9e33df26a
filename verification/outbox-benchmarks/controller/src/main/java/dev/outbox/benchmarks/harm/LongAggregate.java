package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Published;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.workload.FirstCalls;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Percentiles;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Handles the long backlog of one aggregate, while another process publishes events of other aggregates. The instances share a process.
 */
final class LongAggregate extends Harm {

    private static final int RATE = 20;
    private static final int WORK = 1;
    private static final int CONNECTIONS = 8;
    private static final int HOT = 0;

    LongAggregate() {
        super("long-aggregate", "instances=1,3,10 backlog=20000 seconds=5");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int keys = parameters.number("keys");
        createTables(arena);
        Tables.addPending(arena.server(), parameters.number("backlog"), 1);
        Role.Calls calls = new Role.Calls(WORK, 0, 0);
        WorkerProcess deliverer = arena.open(Role.deliverer(CONNECTIONS).with(calls));
        WorkerProcess publisher = arena.open(Role.publisher(CONNECTIONS).with(calls));
        publisher.remote().createAccounts(keys);
        for (int other = 1; other < parameters.number("instances"); other++) {
            deliverer.remote().perform("instance");
        }
        arena.server().settle();
        deliverer.remote().start();
        publisher.remote().start();
        Published published = publisher.remote().publishAtRate(RATE, 2, keys, parameters.number("seconds"));
        long begun = published.begun();
        // Leaves out the first third, in which the JVM is cold.
        Window window = new Window(begun + (System.nanoTime() - begun) / 3, System.nanoTime());
        arena.awaitJoining();

        Map<Boolean, List<Entry>> handled = deliverer.handled().entries().stream()
                .sorted(Comparator.comparingLong(Entry::begun))
                .collect(Collectors.partitioningBy((call) -> call.key() == HOT));
        List<Entry> hot = Objects.requireNonNull(handled.get(true));
        List<Entry> committed = publisher.committed().entries().stream()
                .filter((one) -> one.key() != HOT)
                .toList();
        Percentiles latencies =
                FirstCalls.of(Objects.requireNonNull(handled.get(false))).sinceCommit(committed);
        return new Measurement()
                .with(
                        "events of the aggregate/s",
                        hot.stream()
                                        .filter((call) -> window.holds(call.ended()))
                                        .count()
                                / window.seconds())
                .with("claim", claims(deliverer, window))
                .with("other events", latencies)
                .with("other events not handled", (double) committed.size() - latencies.size())
                .with("out of order", outOfOrder(hot));
    }

    private static double outOfOrder(List<Entry> calls) {
        long disordered = 0;
        for (int call = 1; call < calls.size(); call++) {
            disordered += calls.get(call).seq() < calls.get(call - 1).seq() ? 1 : 0;
        }
        return disordered;
    }
}
