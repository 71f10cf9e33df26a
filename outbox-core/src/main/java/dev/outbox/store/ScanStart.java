package dev.outbox.store;

/**
 * Where a claim begins to look, so that it does not come across what has been delivered: its index entries stay as long as any
 * transaction of the database might still see them.
 *
 * @param exact every event with a smaller id has been dispatched, and none can appear any more
 * @param recent the same, unless one of the transactions that the next two values tell of has ended
 * @param before transactions that began before this one ({@code xid8}) may still publish events with a smaller id than {@code recent}
 * @param running how many of them were running; negative to look from {@code exact} in any case
 * @param claim every claim of the stream with a smaller id is gone
 */
public record ScanStart(long exact, long recent, long before, int running, long claim) {

    /** Looks at everything. */
    public static final ScanStart EVERYTHING = new ScanStart(0, 0, 0, -1, 0);
}
