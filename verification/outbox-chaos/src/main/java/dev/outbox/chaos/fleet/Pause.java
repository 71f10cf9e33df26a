package dev.outbox.chaos.fleet;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits of the parent process. */
public final class Pause {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(5);

    private Pause() {}

    /** Lets time pass. */
    public static void of(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Waits for a condition and says whether it was met in time. */
    public static boolean until(Duration deadline, BooleanSupplier met) {
        long end = System.nanoTime() + deadline.toNanos();
        while (!met.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
        return true;
    }
}
