package dev.outbox.internal.store;

/** How far a claim looks. */
public record ScanReach(long from, long depth, long near) {

    /** Leaves room for the id that it is added to. */
    static final long UNBOUNDED = Long.MAX_VALUE / 2;

    /** Looks at everything, and calls nothing long. */
    public static final ScanReach EVERYTHING = new ScanReach(0, UNBOUNDED, UNBOUNDED);

    boolean isDeep() {
        return depth > near;
    }
}
