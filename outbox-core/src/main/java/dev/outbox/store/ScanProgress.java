package dev.outbox.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Lets the claims of a stream begin where the last ones have come to. Used by one thread.
 *
 * <p>Ids are given out when an event is inserted, and seen when it is committed, so a small one may appear after a large one. But only
 * from a transaction that was running when the large one was seen: an insert has its transaction's id before the event's. Once all
 * those have ended, nothing smaller can appear. A transaction that takes long would keep the start where it is; after a second the
 * claims pass over it, provided that it is still running in the very snapshot that they look with.
 */
public final class ScanProgress {

    private static final Duration PASS_OVER_AFTER = Duration.ofSeconds(1);

    /** Finds events that were written by other means than a publisher, with an id of their choice. */
    private static final Duration LOOK_AT_ALL_EVERY = Duration.ofMinutes(1);

    /** Nothing is delivered meanwhile. So fewer than one event in a hundred is to be kept waiting. */
    private static final int REST_AFTER_LOOKING_AT_ALL = 200;

    private final Clock clock;
    private ScanStart start = ScanStart.EVERYTHING;
    private long lookAtAllAt;
    private boolean looksAtAll;
    private long highest;
    private long lastClaim;
    private @Nullable Mark mark;

    /** A monotonic clock, in nanoseconds. */
    @FunctionalInterface
    interface Clock {
        long nanos();
    }

    /** The highest event that was seen, and what may still come before it: all that was running by then. */
    private record Mark(long highest, long next, long time) {}

    /** Begins with everything. */
    public ScanProgress() {
        this(System::nanoTime);
    }

    ScanProgress(Clock clock) {
        this.clock = clock;
        this.lookAtAllAt = clock.nanos() + LOOK_AT_ALL_EVERY.toNanos();
    }

    /**
     * Returns where the next claim is to begin.
     *
     * @return where it is to begin
     */
    public ScanStart next() {
        long now = clock.nanos();
        if (now - lookAtAllAt >= 0) {
            lookAtAllAt = now + LOOK_AT_ALL_EVERY.toNanos();
            looksAtAll = true;
            mark = null;
            start = ScanStart.EVERYTHING;
        }
        return start;
    }

    /**
     * Returns the transaction of which a sighting is to say how many earlier ones are running.
     *
     * @return its id
     */
    public long question() {
        return mark == null ? 0 : mark.next();
    }

    /**
     * Returns the highest event that was claimed.
     *
     * @return its id; 0 if there was none
     */
    public long highest() {
        return highest;
    }

    /**
     * Learns from a claim.
     *
     * @param sighting what it saw
     * @param claim what it claimed, if anything
     * @param took how long it took
     */
    public void advance(Sighting sighting, @Nullable Claim claim, Duration took) {
        long now = clock.nanos();
        if (looksAtAll) {
            looksAtAll = false;
            lookAtAllAt = Math.max(lookAtAllAt, now + took.toNanos() * REST_AFTER_LOOKING_AT_ALL);
        }
        Mark passed = mark;
        if (passed != null && sighting.running() == 0) {
            long exact = startBehind(passed, sighting);
            start = new ScanStart(exact, exact, 0, -1, start.claim());
            mark = null;
        } else if (passed != null && now - passed.time() >= PASS_OVER_AFTER.toNanos()) {
            start = new ScanStart(
                    start.exact(), startBehind(passed, sighting), passed.next(), sighting.running(), start.claim());
            mark = null;
        }
        if (mark == null && highest > 0) {
            mark = new Mark(highest, sighting.next(), now);
        }
        if (claim != null) {
            highest = Math.max(
                    highest,
                    claim.events().get(claim.events().size() - 1).envelope().id());
        }
        passClaims(sighting, claim);
    }

    private static long startBehind(Mark mark, Sighting sighting) {
        Long first = sighting.firstEvent();
        return first == null ? mark.highest() + 1 : Math.min(first, mark.highest() + 1);
    }

    /**
     * Claims of a stream are made one after the other, so one that the sighting has not seen has a larger id than those that it has seen,
     * and than the last one of this process before. It may have a smaller one than the claim that has just been made: the sighting
     * is older than the lock of the stream.
     */
    private void passClaims(Sighting sighting, @Nullable Claim claim) {
        Long first = sighting.firstClaim();
        long from = first != null ? first : lastClaim + 1;
        start = new ScanStart(start.exact(), start.recent(), start.before(), start.running(), from);
        lastClaim = claim == null ? lastClaim : claim.id();
    }
}
