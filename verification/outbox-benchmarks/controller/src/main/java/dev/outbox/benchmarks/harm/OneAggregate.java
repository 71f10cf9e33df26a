package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Published;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.workload.Deliveries;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Percentiles;
import dev.outbox.benchmarks.workload.Progress;
import java.util.List;
import java.util.Map;

/**
 * Publishes events of one aggregate on many threads, each after changing its own row, so that they contend only in the
 * outbox; for comparison, events of many aggregates.
 */
final class OneAggregate extends Harm {

    private static final int OTHER_CONNECTIONS = 8;

    OneAggregate() {
        super("aggregate", "publishers=20 aggregates=one,many seconds=5");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int publishers = parameters.number("publishers");
        int keys = parameters.number("keys");
        boolean shared = parameters.text("aggregates").equals("one");
        WorkerProcess worker = arena.open(Role.deliverer(publishers + OTHER_CONNECTIONS));
        worker.remote().createAccounts(Math.max(publishers, keys));
        worker.remote().start();
        arena.server().settle();
        Published published = worker.remote().publish(publishers, keys, shared, parameters.number("seconds"));
        long done = new Progress(arena).await(worker.committed().size(), arena.deadline());

        List<Entry> committed = worker.committed().entries();
        return new Measurement()
                .with("transactions/s", committed.size() / published.seconds())
                .with("transaction", new Percentiles(committed.stream().mapToLong((one) -> one.ended() - one.begun())))
                .withEnd(done)
                .with(Deliveries.of(committed, inOrderOfTheOutbox(arena, worker)));
    }

    /** Returns the calls with the sequences of the outbox, because the changed rows define no common order. */
    private static List<Entry> inOrderOfTheOutbox(Arena arena, WorkerProcess worker) throws Exception {
        Map<Integer, Long> sequences = Tables.sequences(arena.server());
        return worker.handled().entries().stream()
                .map((call) -> new Entry(
                        call.number(),
                        call.key(),
                        sequences.getOrDefault(call.number(), call.seq()),
                        call.begun(),
                        call.ended()))
                .toList();
    }
}
