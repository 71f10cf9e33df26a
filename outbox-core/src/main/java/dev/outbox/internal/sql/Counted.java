package dev.outbox.internal.sql;

import java.util.Locale;

/** Number of rows. If it is not exact, counting stopped there, so that there are at least as many. */
public record Counted(long value, boolean exact) {

    /** Where a count stops. */
    public static final int MOST = 10_000;

    /** Where each count stops of a query that may count hundreds of times: for each handler, say. It shall answer within 100 ms too. */
    public static final int MOST_OF_EACH = 1_000;

    /** No row. */
    public static final Counted NONE = new Counted(0, true);

    public static Counted upTo(long counted, int most) {
        return new Counted(Math.min(counted, most), counted < most);
    }

    public Counted plus(Counted more) {
        return new Counted(value + more.value, exact && more.exact);
    }

    /** Returns the number with separators, and a plus sign where counting stopped. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,d", value) + (exact ? "" : "+");
    }
}
