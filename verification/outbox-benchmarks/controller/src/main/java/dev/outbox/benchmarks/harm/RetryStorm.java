package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.benchmarks.workload.Backlog;
import dev.outbox.benchmarks.workload.Deliveries;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Pause;
import dev.outbox.benchmarks.workload.Workload;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Drains the events of healthy accounts while one account in a hundred is poisoned: its first event fails every time,
 * and its other events wait behind it.
 *
 * @param events the number of events of healthy accounts
 * @param followers the number of events of each poisoned account; 0 for a run without poisoned accounts
 * @param harm the settings of all harm tests
 */
record RetryStorm(int events, int followers, Harm harm) implements Workload {

    private static final String UNDISPATCHED =
            "SELECT count(*) FROM events.outbox_unpublished WHERE dispatched_at IS NULL";
    private static final Duration LOOK_EVERY = Duration.ofMillis(20);

    @Override
    public String name() {
        return "harm-retries";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("events", Integer.toString(events));
        parameters.put("keys", Integer.toString(harm.keys()));
        parameters.put("poisoned", Integer.toString(followers == 0 ? 0 : poisoned()));
        parameters.put("followers", Integer.toString(followers));
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return new Headline("healthy events/s", List.of());
    }

    private int poisoned() {
        return Math.max(1, harm.keys() / 100);
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        harm.createTables(arena);
        if (followers > 0) {
            WorkerProcess publisher = harm.publisher(arena);
            new Backlog(poisoned() * followers, 0, poisoned()).publish(publisher);
            publisher.close();
            fillLanes(arena);
        }
        WorkerProcess publisher = harm.publisher(arena);
        new Backlog(events, poisoned(), harm.keys() - poisoned()).publish(publisher);
        publisher.close();
        WorkerProcess worker = retryingWithoutLimit(arena);
        arena.server().settle();

        long begun = System.nanoTime();
        long deadline = begun + harm.limits().longest().toNanos();
        worker.send("start");
        while (worker.handled().size() < events && System.nanoTime() < deadline) {
            Pause.of(LOOK_EVERY);
        }
        long ended = worker.handled().entries().stream()
                .mapToLong((call) -> call.ended())
                .max()
                .orElse(begun);
        return new Measurement()
                .with("healthy events/s", worker.handled().size() / ((ended - begun) / 1e9))
                .with("deliveries in lanes", (double)
                        arena.server().number("SELECT count(*) FROM events.outbox_delivery"))
                .with(Deliveries.of(
                        publisher.committed().entries(), worker.handled().entries(), 1))
                .with(worker.settings());
    }

    /** Fails or queues every poisoned event, and shuts the process down. */
    private void fillLanes(Arena arena) throws IOException, SQLException {
        WorkerProcess worker = retryingWithoutLimit(arena);
        worker.send("start");
        long deadline = System.nanoTime() + harm.limits().longest().toNanos();
        while (arena.server().number(UNDISPATCHED) > 0) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "the lanes could not be filled in " + harm.limits().longest());
            }
            Pause.of(LOOK_EVERY);
        }
        worker.closeGently();
    }

    /** Starts a process that retries every second, without limit. */
    private WorkerProcess retryingWithoutLimit(Arena arena) throws IOException {
        return arena.open(new Role(
                true,
                1,
                harm.limits().pool(arena.entrant()),
                new Role.Calls(0, 0, poisoned()),
                Map.of(
                        "outbox.retry.delays",
                        Setup.RETRY_AFTER_MILLIS + "ms",
                        "outbox.retry.max-attempts",
                        "1000000")));
    }
}
