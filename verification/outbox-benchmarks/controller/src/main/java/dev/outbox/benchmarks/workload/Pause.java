package dev.outbox.benchmarks.workload;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Pause of a given duration, part of a workload. */
public final class Pause {

    private Pause() {}

    /** Waits. */
    public static void of(Duration duration) {
        long deadline = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
