package dev.outbox.internal.store;

import dev.outbox.internal.delivery.ClaimRound;

/**
 * How far a claim looks.
 *
 * @param from the id from which it counts, unless that of the first event that is still to be dispatched is higher
 * @param depth how many ids it looks at from there on
 * @param near a queue that reaches farther than this beyond the low-water mark is long ({@link ClaimRound#isLong()})
 */
public record ScanReach(long from, long depth, long near) {

    /** Leaves room for the id that it is added to. */
    static final long UNBOUNDED = Long.MAX_VALUE / 2;

    /** Looks at everything, and calls nothing long. */
    public static final ScanReach EVERYTHING = new ScanReach(0, UNBOUNDED, UNBOUNDED);

    boolean isDeep() {
        return depth > near;
    }
}
