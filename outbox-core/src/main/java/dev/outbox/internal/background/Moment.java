package dev.outbox.internal.background;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A moment by both clocks of the machine. A suspended virtual machine stops the monotonic one, and a correction moves the other.
 *
 * @param nanos the monotonic clock, in nanoseconds
 * @param millis the wall clock, in milliseconds
 */
public record Moment(long nanos, long millis) {

    /** Tells the moment. */
    @FunctionalInterface
    public interface Source {

        /**
         * Returns the moment.
         *
         * @return the moment
         */
        Moment now();

        /**
         * Returns the clocks of the machine.
         *
         * @return the clocks
         */
        static Source system() {
            return () -> new Moment(System.nanoTime(), System.currentTimeMillis());
        }
    }

    /**
     * Returns the time since an earlier moment, by the clock that says more.
     *
     * @param earlier the moment
     * @return the time; too long rather than too short
     */
    public Duration since(Moment earlier) {
        return Duration.ofNanos(nanosSince(earlier));
    }

    /** Whether less time than that has passed since an earlier moment. */
    boolean isWithin(long nanoseconds, Moment earlier) {
        return nanosSince(earlier) < nanoseconds;
    }

    private long nanosSince(Moment earlier) {
        return Math.max(nanos - earlier.nanos, TimeUnit.MILLISECONDS.toNanos(millis - earlier.millis));
    }
}
