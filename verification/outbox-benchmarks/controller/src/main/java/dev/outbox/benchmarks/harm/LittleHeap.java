package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.worker.Pause;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Progress;
import java.time.Duration;

/** Drains a backlog with a small heap, and collects garbage repeatedly to measure the live heap. */
final class LittleHeap extends Harm {

    private static final double MEGABYTE = 1 << 20;
    private static final Duration LOOK_EVERY = Duration.ofMillis(200);

    LittleHeap() {
        super("heap", "backlog=1000,10000 heap=64m");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int backlog = parameters.number("backlog");
        createTables(arena);
        Tables.addPending(arena.server(), backlog, parameters.number("keys"));
        arena.server().settle();
        WorkerProcess worker = arena.open(Role.deliverer(arena.pool()), parameters.text("heap"));
        long idle = worker.remote().liveHeap();
        long begun = System.nanoTime();
        long deadline = arena.deadline();
        worker.remote().start();
        Progress progress = new Progress(arena);
        long largest = 0;
        int looks = 0;
        while (progress.calls() < backlog && System.nanoTime() < deadline) {
            largest = Math.max(largest, worker.remote().liveHeap());
            looks++;
            Pause.of(LOOK_EVERY);
        }
        return new Measurement()
                .with("largest live heap MB", largest / MEGABYTE)
                .with("live heap before MB", idle / MEGABYTE)
                .with("collections", looks)
                .with("handled", (double) progress.calls())
                .with("seconds", (System.nanoTime() - begun) / 1e9);
    }
}
