package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.worker.Journal.Entry;
import java.io.IOException;
import java.util.List;
import java.util.stream.LongStream;

/** How fast it went once half of the calls had ended: by then, the start of a process and its compiler weigh less. */
final class SecondHalf {

    private static final double NANOS_PER_SECOND = 1e9;

    private SecondHalf() {}

    static double callsPerSecond(List<WorkerProcess> workers) throws IOException {
        LongStream.Builder ends = LongStream.builder();
        for (WorkerProcess worker : workers) {
            worker.handled().entries().stream().mapToLong(Entry::ended).forEach(ends);
        }
        return callsPerSecond(ends.build());
    }

    /** From the end of the call in the middle to the end of the last one; zero if there were fewer than two. */
    static double callsPerSecond(LongStream ends) {
        long[] sorted = ends.sorted().toArray();
        int middle = (sorted.length - 1) / 2;
        if (sorted.length < 2 || sorted[sorted.length - 1] == sorted[middle]) {
            return 0;
        }
        return (sorted.length - 1 - middle) * NANOS_PER_SECOND / (sorted[sorted.length - 1] - sorted[middle]);
    }
}
