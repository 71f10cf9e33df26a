package dev.outbox.benchmarks.workload;

import java.util.Arrays;
import java.util.stream.LongStream;

/** Exact percentiles of all values. */
public final class Percentiles {

    private final long[] sorted;

    /** Sorts the values, given in nanoseconds. */
    public Percentiles(LongStream values) {
        this.sorted = values.toArray();
        Arrays.sort(sorted);
    }

    /** Returns the number of values. */
    public int size() {
        return sorted.length;
    }

    /**
     * Returns the smallest value in milliseconds that a share of all values, above 0 and up to 1, does not exceed; not a
     * number without values.
     */
    public double millis(double share) {
        if (share <= 0 || share > 1) {
            throw new IllegalArgumentException("share must lie above 0 and up to 1: " + share);
        }
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.ceil(share * sorted.length) - 1] / 1e6;
    }
}
