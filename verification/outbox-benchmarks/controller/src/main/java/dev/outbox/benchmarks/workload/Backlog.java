package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Command;
import dev.outbox.benchmarks.arena.WorkerProcess;
import java.io.IOException;

/**
 * Events that the contestant publishes before a process delivers, of each account in turn.
 *
 * @param events the number of events
 * @param firstKey the lowest account
 * @param keys the number of accounts
 */
public record Backlog(int events, int firstKey, int keys) {

    private static final int THREADS = 4;
    private static final int BATCH = 500;

    /** Creates a backlog of the first accounts. */
    public static Backlog of(int events, int keys) {
        return new Backlog(events, 0, keys);
    }

    /** Publishes the backlog. */
    public void publish(WorkerProcess worker) throws IOException {
        worker.send(Command.to("backlog")
                .with("events", events)
                .with("firstKey", firstKey)
                .with("keys", keys)
                .with("threads", Math.min(THREADS, keys))
                .with("batch", BATCH));
    }
}
