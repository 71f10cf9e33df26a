package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Command;
import dev.outbox.benchmarks.arena.WorkerProcess;
import java.io.IOException;

/**
 * Events that are published, by the contestant's own means, before anybody delivers: as many for each account, in turn.
 *
 * @param events how many
 * @param firstKey the lowest account
 * @param keys how many accounts
 */
public record Backlog(int events, int firstKey, int keys) {

    private static final int THREADS = 4;
    private static final int BATCH = 500;

    /**
     * Describes a backlog about the first accounts.
     *
     * @param events how many events
     * @param keys how many accounts
     * @return the backlog
     */
    public static Backlog of(int events, int keys) {
        return new Backlog(events, 0, keys);
    }

    /**
     * Publishes it.
     *
     * @param worker the process that does
     * @throws IOException if the process is gone
     */
    public void publish(WorkerProcess worker) throws IOException {
        worker.tell(Command.to("backlog")
                .with("events", events)
                .with("firstKey", firstKey)
                .with("keys", keys)
                .with("threads", Math.min(THREADS, keys))
                .with("batch", BATCH));
    }
}
