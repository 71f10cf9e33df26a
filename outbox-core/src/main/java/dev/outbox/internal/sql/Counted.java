package dev.outbox.internal.sql;

import java.util.Locale;

/** Number of rows. If it is not exact, counting stopped there, so that there are at least as many. */
public record Counted(long value, boolean exact) {

    /** Where a count stops. */
    public static final int MOST = 10_000;

    /** Where each count stops at the earliest of a query that may count hundreds of times: for each handler, say. It shall answer within 100 ms too. */
    public static final int MOST_OF_EACH = 1_000;

    /** How many rows the counts of such a query share. */
    private static final int MOST_TOGETHER = 50_000;

    private static final String BOUND = """
            bound AS MATERIALIZED (
                SELECT least({most}, greatest({each}, {together} / greatest(count(*), 1) / {each} * {each})) AS most FROM {counts}
            )""".replace("{most}", Integer.toString(MOST))
            .replace("{each}", Integer.toString(MOST_OF_EACH))
            .replace("{together}", Integer.toString(MOST_TOGETHER));

    /** No row. */
    public static final Counted NONE = new Counted(0, true);

    public static Counted upTo(long counted, int most) {
        return new Counted(Math.min(counted, most), counted < most);
    }

    /** Returns where each of several counts stops, as a query {@code bound (most)} of a {@code WITH}: the fewer they are, the later. */
    public static String bound(String counts) {
        return BOUND.replace("{counts}", counts);
    }

    /** Returns the sum, which is round if it is large and not exact. */
    public Counted plus(Counted more) {
        long sum = value + more.value;
        boolean bothExact = exact && more.exact;
        return new Counted(bothExact || sum < MOST_OF_EACH ? sum : sum - sum % MOST_OF_EACH, bothExact);
    }

    /** Returns the number with separators, and a plus sign where counting stopped. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,d", value) + (exact ? "" : "+");
    }
}
