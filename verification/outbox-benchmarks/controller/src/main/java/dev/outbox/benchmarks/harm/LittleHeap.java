package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Pause;
import dev.outbox.benchmarks.workload.Progress;
import dev.outbox.benchmarks.workload.Workload;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Drains a backlog with a small heap, and collects garbage repeatedly to measure the live heap.
 *
 * @param backlog the number of events
 * @param heap the size of the heap, as in {@code -Xmx}
 * @param harm the settings of all harm tests
 */
record LittleHeap(long backlog, String heap, Harm harm) implements Workload {

    private static final double MEGABYTE = 1 << 20;
    private static final Duration LOOK_EVERY = Duration.ofMillis(200);

    @Override
    public String name() {
        return "harm-heap";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("backlog", Long.toString(backlog));
        parameters.put("heap", heap);
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return new Headline("largest live heap MB", List.of());
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        harm.createTables(arena);
        Tables.addPending(arena.server(), backlog, harm.keys());
        arena.server().settle();
        WorkerProcess worker =
                arena.open(new Role(true, 1, harm.limits().pool(arena.entrant()), Role.Calls.NOTHING), heap);
        long idle = worker.send("heap").longNumber("bytes");
        long begun = System.nanoTime();
        long deadline = begun + harm.limits().longest().toNanos();
        worker.send("start");
        Progress progress = new Progress(arena);
        long largest = 0;
        int looks = 0;
        while (progress.calls() < backlog && System.nanoTime() < deadline) {
            largest = Math.max(largest, worker.send("heap").longNumber("bytes"));
            looks++;
            Pause.of(LOOK_EVERY);
        }
        return new Measurement()
                .with("largest live heap MB", largest / MEGABYTE)
                .with("live heap before MB", idle / MEGABYTE)
                .with("collections", looks)
                .with("handled", (double) progress.calls())
                .with("seconds", (System.nanoTime() - begun) / 1e9)
                .with(worker.settings());
    }
}
