package dev.outbox.internal.claim;

import java.time.Duration;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many events the claims of one stream read: a long queue may belong to aggregates of other claims. A claim that a long queue
 * does not fill is followed at once by deeper ones, of ten and a hundred times as many events and then of all. No other instance can claim
 * meanwhile, so the next descent waits for ten times the time that the server looked, times the number of instances, which all do so. Waits
 * for locks and connections do not count: they say nothing about the queue. Used by one thread.
 */
final class ScanLimit {

    /** Leaves room for the id that the near ones are added to. */
    static final long UNBOUNDED = Long.MAX_VALUE / 2;

    private static final int BATCHES = 10;
    private static final int STEP = 10;
    private static final int DEEPEST_STEP = STEP * STEP;
    private static final int REST = 10;
    private static final long LONGEST_REST_NANOS = Duration.ofMinutes(10).toNanos();
    private static final long CHEAP_NANOS = Duration.ofMillis(5).toNanos();
    private static final long CHEAP_NANOS_PER_EVENT = Duration.ofMillis(1).toNanos() / 20;

    private final LongSupplier clock;
    private final IntSupplier instances;
    private final int batchSize;
    private final long near;
    private long depth;
    private Duration looked = Duration.ZERO;
    private long deepAgainAt;
    private @Nullable Long lookAgainAt;

    /** Creates a limit of ten batches for one of some instances that claim from the stream. */
    ScanLimit(int batchSize, IntSupplier instances) {
        this(batchSize, instances, System::nanoTime);
    }

    ScanLimit(int batchSize, IntSupplier instances, LongSupplier clock) {
        this.clock = clock;
        this.instances = instances;
        this.batchSize = batchSize;
        this.near = (long) batchSize * BATCHES;
        this.depth = near;
        this.deepAgainAt = clock.getAsLong();
    }

    /** Number of events that a claim reads; it calls a queue long that has events so many ids behind one, or so many before it, as the near ones. */
    record Reach(long from, long depth, long near) {

        /** Reads everything, and calls nothing long. */
        static final Reach EVERYTHING = new Reach(0, UNBOUNDED, UNBOUNDED);

        boolean isDeep() {
            return depth > near;
        }
    }

    /** Returns the reach of the next claim. */
    Reach next(long from) {
        return new Reach(from, nextDepth(), near);
    }

    private long nextDepth() {
        return deepAgainAt - clock.getAsLong() > 0 ? near : depth;
    }

    /** Returns the reach of a claim beside a settlement, which frees its aggregates in a moment. */
    Reach near(long from) {
        return new Reach(from, near, near);
    }

    /** Returns how long the stream waits before it looks for events of aggregates that others have released; empty if it need not look. */
    Optional<Duration> lookAgainIn() {
        Long at = lookAgainAt;
        return at == null ? Optional.empty() : Optional.of(Duration.ofNanos(Math.max(0, at - clock.getAsLong())));
    }

    /** Learns from a claim, and says whether the next one may find more. */
    boolean learn(Reach reach, int found, boolean longQueue, Duration took) {
        boolean full = found == batchSize;
        if (reach.isDeep()) {
            looked = looked.plus(took);
        }
        if (!longQueue || (full && !reach.isDeep())) {
            depth = near;
        } else if (full) {
            rest(took.toNanos() > CHEAP_NANOS + found * CHEAP_NANOS_PER_EVENT);
        } else if (reach.depth() == UNBOUNDED) {
            depth = near * STEP;
            rest(looked.toNanos() > CHEAP_NANOS + found * CHEAP_NANOS_PER_EVENT);
        } else if (reach.depth() == depth) {
            depth = depth < near * DEEPEST_STEP ? depth * STEP : UNBOUNDED;
        }
        lookAgainAt = longQueue && found == 0 ? restedAfter(took) : null;
        return longQueue && (found > 0 || nextDepth() > reach.depth());
    }

    /** Rests after a deep claim that failed, which may have taken longer than the driver waits. */
    void failed(Reach reach, Duration took) {
        if (reach.isDeep()) {
            looked = looked.plus(took);
            rest(true);
        }
    }

    private void rest(boolean isNeeded) {
        deepAgainAt = isNeeded ? restedAfter(looked) : deepAgainAt;
        looked = Duration.ZERO;
    }

    private long restedAfter(Duration took) {
        return clock.getAsLong() + Math.min(took.toNanos() * REST * instances.getAsInt(), LONGEST_REST_NANOS);
    }
}
