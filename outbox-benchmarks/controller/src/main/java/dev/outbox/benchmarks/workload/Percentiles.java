package dev.outbox.benchmarks.workload;

import java.util.Arrays;
import java.util.stream.LongStream;

/** Exact percentiles: all values are kept, and sorted. */
public final class Percentiles {

    private final long[] sorted;

    /**
     * Sorts the values.
     *
     * @param values the values, in nanoseconds
     */
    public Percentiles(LongStream values) {
        this.sorted = values.toArray();
        Arrays.sort(sorted);
    }

    /**
     * Returns how many values there are.
     *
     * @return the number of values
     */
    public int size() {
        return sorted.length;
    }

    /**
     * Returns the smallest value that at least a share of all values do not exceed.
     *
     * @param share the share, above 0 and up to 1
     * @return the value in milliseconds; not a number where there are no values
     */
    public double millis(double share) {
        if (share <= 0 || share > 1) {
            throw new IllegalArgumentException("share must lie above 0 and up to 1: " + share);
        }
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.ceil(share * sorted.length) - 1] / 1e6;
    }
}
