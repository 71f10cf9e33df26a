package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.workload.Workload;
import java.util.List;

/** Harm tests. Their default sizes are small; the module's README lists the sizes that show the effect. */
public final class Harms {

    private Harms() {}

    /** Returns all harm tests. */
    public static List<Workload> all() {
        return List.of(
                new Backlogs(),
                Disturbed.bySnapshot(),
                Disturbed.byTransaction(),
                Disturbed.byRetention(),
                new History(),
                new RetryStorm(),
                new CheckpointedRetries(),
                new ManyHandlers(),
                new LongLane(),
                new SlowHandler(),
                new DueEvents(),
                new OneAggregate(),
                new Instances(),
                new LongAggregate(),
                new LittleHeap(),
                new Pages());
    }
}
