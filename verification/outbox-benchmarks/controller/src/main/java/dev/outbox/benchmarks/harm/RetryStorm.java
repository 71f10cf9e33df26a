package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.benchmarks.workload.Deliveries;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Progress;
import java.util.Map;

/**
 * Drains the events of healthy accounts while one account in a hundred is poisoned, unless it has no followers: its first
 * event fails every time, and its other events wait behind it.
 */
final class RetryStorm extends Harm {

    RetryStorm() {
        super("retries", "followers=0,100 events=5000");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int followers = parameters.number("followers");
        int events = parameters.number("events");
        int keys = parameters.number("keys");
        int poisoned = Math.max(1, keys / 100);
        createTables(arena);
        if (followers > 0) {
            publishBacklog(arena, poisoned * followers, 0, poisoned);
            fillLanes(arena, poisoned);
        }
        WorkerProcess publisher = publishBacklog(arena, events, poisoned, keys - poisoned);
        WorkerProcess worker = retryingWithoutLimit(arena, poisoned);
        arena.server().settle();

        long begun = System.nanoTime();
        worker.remote().start();
        new Progress(arena).awaitCalls(events, arena.deadline());
        long ended = worker.handled().entries().stream()
                .mapToLong((call) -> call.ended())
                .max()
                .orElse(begun);
        return new Measurement()
                .with("healthy events/s", worker.handled().size() / ((ended - begun) / 1e9))
                .with("deliveries in lanes", (double)
                        arena.server().number("SELECT count(*) FROM events.outbox_delivery"))
                .with(Deliveries.of(
                        publisher.committed().entries(), worker.handled().entries()));
    }

    /** Fails or queues every poisoned event, and shuts the process down. */
    private static void fillLanes(Arena arena, int poisoned) throws Exception {
        WorkerProcess worker = retryingWithoutLimit(arena, poisoned);
        worker.remote().start();
        if (awaitDispatch(arena) > 0) {
            throw new IllegalStateException("the lanes could not be filled within benchmark.limit");
        }
        worker.remote().close();
        worker.close();
    }

    /** Starts a process that retries every second, without limit. */
    private static WorkerProcess retryingWithoutLimit(Arena arena, int poisoned) throws Exception {
        return arena.open(Role.deliverer(arena.pool())
                .with(new Role.Calls(0, 0, poisoned))
                .with(Map.of(
                        "outbox.retry.delays",
                        Setup.RETRY_AFTER_MILLIS + "ms",
                        "outbox.retry.max-attempts",
                        "1000000")));
    }
}
