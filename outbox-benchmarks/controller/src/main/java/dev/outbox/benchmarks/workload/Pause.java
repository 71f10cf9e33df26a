package dev.outbox.benchmarks.workload;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits, where what is waited for is time itself. */
public final class Pause {

    private Pause() {}

    /**
     * Waits.
     *
     * @param duration how long
     */
    public static void of(Duration duration) {
        long deadline = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
