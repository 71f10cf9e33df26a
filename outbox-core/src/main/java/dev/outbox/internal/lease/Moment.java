package dev.outbox.internal.lease;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Moment by both clocks: a suspended machine stops the monotonic one, and a correction moves the other. */
public record Moment(long nanos, long millis) {

    /** Source of moments. */
    @FunctionalInterface
    public interface Source {

        Moment now();

        /** Returns the clocks of the machine. */
        static Source system() {
            return () -> new Moment(System.nanoTime(), System.currentTimeMillis());
        }
    }

    /** Returns the time since an earlier moment, by the clock that shows more. */
    public Duration since(Moment earlier) {
        return Duration.ofNanos(nanosSince(earlier));
    }

    /** Returns whether less than the given time has passed since an earlier moment. */
    boolean isWithin(long nanoseconds, Moment earlier) {
        return nanosSince(earlier) < nanoseconds;
    }

    private long nanosSince(Moment earlier) {
        return Math.max(nanos - earlier.nanos, TimeUnit.MILLISECONDS.toNanos(millis - earlier.millis));
    }
}
