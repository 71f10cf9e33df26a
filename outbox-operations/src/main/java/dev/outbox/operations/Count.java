package dev.outbox.operations;

import java.util.Locale;

/**
 * Count that stops at a bound, so that its cost does not depend on the number of events.
 *
 * @param value how many were counted
 * @param exact whether these are all; otherwise there are at least as many
 */
public record Count(long value, boolean exact) {

    /** Where a count stops. */
    public static final int MOST = 10_000;

    /**
     * Where each count stops at the earliest if one query counts for each handler, error code or replay. There may be hundreds, and the query
     * shall answer within 100 ms too. For up to five handlers and statuses, or errors, it stops at {@link #MOST}.
     */
    public static final int MOST_OF_EACH = 1_000;

    /** Nothing. */
    public static final Count NONE = new Count(0, true);

    /**
     * Creates a count that stops at a bound.
     *
     * @param counted how many were counted
     * @param most the bound
     * @return the count, which is exact below the bound
     */
    public static Count upTo(long counted, int most) {
        return new Count(Math.min(counted, most), counted < most);
    }

    /**
     * Adds a count.
     *
     * @param more the other count
     * @return the sum, which is exact if both are, and otherwise rounded down to thousands
     */
    public Count plus(Count more) {
        long sum = value + more.value;
        boolean bothExact = exact && more.exact;
        return new Count(bothExact || sum < MOST_OF_EACH ? sum : sum - sum % MOST_OF_EACH, bothExact);
    }

    /** {@return the value with separators, and a plus sign unless it is exact: {@code 10,000+}} */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,d", value) + (exact ? "" : "+");
    }
}
