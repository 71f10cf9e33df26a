package dev.outbox.internal.store;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the claims of a stream from reading a long queue to its end, time and again, because all they come across belongs to aggregates
 * that are claimed already. Used by one thread.
 *
 * <p>A claim looks at a few times as many ids as it may take. Where these do not fill it and the queue is longer, the next one looks ten
 * times as deep. In the time that a look takes, nobody else can claim. So one that finds too little for it is not repeated for twenty
 * times that time: one that looked deep, while claims look at what lies near the beginning all the same; and one that found
 * nothing at all, which is then repeated without waiting for the interval of the poller, because others are at work.
 */
public final class ScanDepth {

    private static final int BATCHES = 10;
    private static final int STEP = 10;
    private static final int REST = 20;
    private static final long CHEAP_NANOS = Duration.ofMillis(5).toNanos();
    private static final long CHEAP_NANOS_PER_EVENT = Duration.ofMillis(1).toNanos() / 20;

    private final LongSupplier clock;
    private final int batchSize;
    private final long near;
    private long depth;
    private long deepAgainAt;
    private @Nullable Long lookAgainAt;

    /** Begins near the beginning. */
    public ScanDepth(int batchSize) {
        this(batchSize, System::nanoTime);
    }

    ScanDepth(int batchSize, LongSupplier clock) {
        this.clock = clock;
        this.batchSize = batchSize;
        this.near = (long) batchSize * BATCHES;
        this.depth = near;
        this.deepAgainAt = clock.getAsLong();
    }

    /** Returns how far the next claim is to look. */
    public ScanReach next(long from) {
        return new ScanReach(from, nextDepth(), near);
    }

    private long nextDepth() {
        return deepAgainAt - clock.getAsLong() > 0 ? near : depth;
    }

    /** Returns how far a claim is to look that leaves aggregates out which are free in a moment: no deeper than usual. */
    public ScanReach near(long from) {
        return new ScanReach(from, near, near);
    }

    /** Returns when to look again for events that others may have set free. */
    public Optional<Duration> lookAgainIn() {
        Long at = lookAgainAt;
        return at == null ? Optional.empty() : Optional.of(Duration.ofNanos(Math.max(0, at - clock.getAsLong())));
    }

    /** Learns from a claim. */
    public boolean learn(ScanReach reach, int found, boolean longQueue, Duration took) {
        long rested = clock.getAsLong() + took.toNanos() * REST;
        boolean full = found == batchSize;
        if (reach.isDeep()) {
            boolean cheap = took.toNanos() <= CHEAP_NANOS + found * CHEAP_NANOS_PER_EVENT;
            deepAgainAt = cheap ? deepAgainAt : rested;
        }
        if (!longQueue || (full && !reach.isDeep())) {
            depth = near;
        } else if (!full && reach.depth() == depth) {
            depth = depth < ScanReach.UNBOUNDED / STEP ? depth * STEP : ScanReach.UNBOUNDED;
        }
        lookAgainAt = longQueue && found == 0 ? rested : null;
        return longQueue && (found > 0 || nextDepth() > reach.depth());
    }
}
