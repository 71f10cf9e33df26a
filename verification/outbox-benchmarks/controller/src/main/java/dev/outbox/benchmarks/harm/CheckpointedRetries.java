package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.workload.Backlog;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Pause;
import dev.outbox.benchmarks.workload.Workload;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Completes events that failed once, after a checkpoint: the first change of each page writes the page to the WAL.
 *
 * @param events the number of events
 * @param failing the percentage of events that fail once, scattered among the others
 * @param harm the settings of all harm tests
 */
record CheckpointedRetries(int events, int failing, Harm harm) implements Workload {

    private static final String UNDISPATCHED =
            "SELECT count(*) FROM events.outbox_unpublished WHERE dispatched_at IS NULL";

    /** Longer than the first pass takes. */
    private static final Duration RETRY_AFTER = Duration.ofSeconds(20);

    private static final Duration LOOK_EVERY = Duration.ofMillis(100);

    @Override
    public String name() {
        return "harm-checkpoint";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("events", Integer.toString(events));
        parameters.put("keys", Integer.toString(harm.keys()));
        parameters.put("failing", failing + " %");
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return new Headline("WAL B/retry", List.of());
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        WorkerProcess publisher = harm.publisher(arena);
        new Backlog(events, 0, harm.keys()).publish(publisher);
        publisher.close();
        WorkerProcess worker = arena.open(new Role(
                true,
                1,
                harm.limits().pool(arena.entrant()),
                new Role.Calls(0, failing, 0),
                Map.of("outbox.retry.delays", RETRY_AFTER.toMillis() + "ms")));
        arena.server().settle();
        worker.send("start");
        long deadline = System.nanoTime() + harm.limits().longest().toNanos();
        while (arena.server().number(UNDISPATCHED) > 0 && System.nanoTime() < deadline) {
            Pause.of(LOOK_EVERY);
        }
        long waiting = arena.server().number("SELECT count(*) FROM events.outbox_delivery");
        arena.server().execute("CHECKPOINT");

        Usage before = arena.usage();
        long left = harm.awaitDeliveries(arena, 0, LOOK_EVERY);
        Usage used = arena.usage().since(before);
        return new Measurement()
                .with("WAL B/retry", (double) used.walBytes() / (waiting - left))
                .with("retries", (double) (waiting - left))
                .with("left", (double) left)
                .with(worker.settings());
    }
}
