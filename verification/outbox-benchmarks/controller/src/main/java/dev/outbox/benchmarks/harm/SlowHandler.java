package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Command;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Percentiles;
import dev.outbox.benchmarks.workload.Workload;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Publishes at a steady rate for a healthy handler, beside 200 due lanes of one whose calls time out. An event that is
 * not handled at the end has waited until then.
 *
 * @param concurrency the concurrency of the stream
 * @param timeoutMillis how long a call takes to fail
 * @param seconds the duration
 * @param harm the settings of all harm tests
 */
record SlowHandler(int concurrency, int timeoutMillis, int seconds, Harm harm) implements Workload {

    private static final int LANES = 200;
    private static final int RATE = 20;

    @Override
    public String name() {
        return "harm-slow";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("concurrency", Integer.toString(concurrency));
        parameters.put("timeout", timeoutMillis + " ms");
        parameters.put("seconds", Integer.toString(seconds));
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return new Headline("commit to handler p99 ms", List.of());
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        harm.createTables(arena);
        Tables.addDueLanes(arena.server(), List.of("slow"), LANES, 1);
        WorkerProcess worker = arena.open(new Role(
                true,
                1,
                harm.limits().pool(arena.entrant()),
                Role.Calls.NOTHING,
                Map.of(
                        "outbox.poller.batch-size",
                        "50",
                        "outbox.poller.concurrency",
                        Integer.toString(concurrency),
                        "outbox.retry.max-attempts",
                        "1000000",
                        "benchmark.slow-handler",
                        Integer.toString(timeoutMillis))));
        worker.send(Command.to("accounts").with("accounts", harm.keys()));
        arena.server().settle();
        worker.send("start");
        worker.send(Command.to("pace")
                .with("rate", RATE)
                .with("threads", 1)
                .with("keys", harm.keys())
                .with("shared", false)
                .with("seconds", seconds));
        worker.send("await");
        long ended = System.nanoTime();
        Map<Integer, Long> called = new HashMap<>();
        for (Entry call : worker.handled().entries()) {
            called.merge(call.number(), call.begun(), Math::min);
        }
        List<Entry> committed = worker.committed().entries();
        return new Measurement()
                .with(
                        "commit to handler",
                        new Percentiles(committed.stream()
                                .mapToLong(
                                        (one) -> Math.max(0, called.getOrDefault(one.number(), ended) - one.ended()))))
                .with("handled", (double) called.size() / committed.size())
                .with(worker.settings());
    }
}
