package dev.outbox.benchmarks.worker;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Pause without using the processor, part of a workload. */
public final class Pause {

    private Pause() {}

    /** Waits for a duration. */
    public static void of(Duration duration) {
        until(System.nanoTime() + duration.toNanos());
    }

    /** Waits until a time of {@link System#nanoTime}. */
    public static void until(long deadline) {
        for (long left = deadline - System.nanoTime(); left > 0; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
