package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Command;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Message;
import dev.outbox.benchmarks.workload.Deliveries;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Percentiles;
import dev.outbox.benchmarks.workload.Progress;
import dev.outbox.benchmarks.workload.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Publishes events of one aggregate on many threads, each after changing its own row, so that they contend only in the
 * outbox; for comparison, events of many aggregates.
 *
 * @param publishers the number of threads
 * @param shared whether all events belong to one aggregate
 * @param seconds the duration
 * @param harm the settings of all harm tests
 */
record OneAggregate(int publishers, boolean shared, int seconds, Harm harm) implements Workload {

    private static final int OTHER_CONNECTIONS = 8;

    @Override
    public String name() {
        return "harm-aggregate";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("publishers", Integer.toString(publishers));
        parameters.put("aggregates", shared ? "1" : Integer.toString(harm.keys()));
        parameters.put("seconds", Integer.toString(seconds));
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return new Headline("transactions/s", List.of());
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        WorkerProcess worker = arena.open(new Role(true, 1, publishers + OTHER_CONNECTIONS, Role.Calls.NOTHING));
        worker.send(Command.to("accounts").with("accounts", Math.max(publishers, harm.keys())));
        worker.send("start");
        arena.server().settle();
        worker.send(Command.to("publish")
                .with("threads", publishers)
                .with("keys", harm.keys())
                .with("shared", shared)
                .with("seconds", seconds));
        Message published = worker.send("await");
        long done = new Progress(arena)
                .await(
                        worker.committed().size(),
                        System.nanoTime() + harm.limits().longest().toNanos());

        List<Entry> committed = worker.committed().entries();
        double nanos = published.longNumber("ended") - published.longNumber("begun");
        return new Measurement()
                .with("transactions/s", committed.size() / (nanos / 1e9))
                .with("transaction", new Percentiles(committed.stream().mapToLong((one) -> one.ended() - one.begun())))
                .with("finished", done < 0 ? 0 : 1)
                .with(Deliveries.of(committed, inOrderOfTheOutbox(arena, worker), 1))
                .with(worker.settings());
    }

    /** Returns the calls with the sequences of the outbox, because the changed rows define no common order. */
    private static List<Entry> inOrderOfTheOutbox(Arena arena, WorkerProcess worker) throws Exception {
        Map<Integer, Long> sequences = Tables.sequences(arena.server());
        return worker.handled().entries().stream()
                .map((call) -> new Entry(
                        call.handler(),
                        call.number(),
                        call.key(),
                        sequences.getOrDefault(call.number(), call.seq()),
                        call.begun(),
                        call.ended()))
                .toList();
    }
}
