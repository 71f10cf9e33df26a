package dev.outbox.chaos.run;

import java.time.Duration;
import java.util.List;

/** Distribution of some delays, in milliseconds; zero if there is none. */
public record Delays(int count, long median, long p99, long longest) {

    private static final long NANOS = 1_000_000;

    /** Summarizes delays in nanoseconds. */
    static Delays of(List<Long> nanos) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        if (sorted.length == 0) {
            return new Delays(0, 0, 0, 0);
        }
        return new Delays(sorted.length, at(sorted, 0.5), at(sorted, 0.99), at(sorted, 1));
    }

    private static long at(long[] sorted, double share) {
        int index = (int) Math.ceil(share * sorted.length) - 1;
        return sorted[Math.max(0, index)] / NANOS;
    }

    /** Returns whether their 99th percentile keeps a bound. */
    boolean isWithin(Duration bound) {
        return p99 <= bound.toMillis();
    }

    /** The delays beside the bound that their 99th percentile should keep. */
    String against(Duration bound) {
        if (count == 0) {
            return "none";
        }
        String verdict = isWithin(bound) ? "within" : "beyond";
        return "%d times, median %d ms, p99 %d ms, longest %d ms: %s the bound of %d ms"
                .formatted(count, median, p99, longest, verdict, bound.toMillis());
    }
}
