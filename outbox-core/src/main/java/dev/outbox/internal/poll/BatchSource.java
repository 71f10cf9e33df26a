package dev.outbox.internal.poll;

import dev.outbox.internal.lease.LeaseGuard;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One kind of work of a stream: how it is claimed, dispatched and settled. */
public interface BatchSource<B extends Batch<W, ?>, W> {

    /**
     * Claims a batch. With {@code nearOnly}, skips the extended scan because the settlement in progress is about to free aggregates. One call
     * at a time, on any thread.
     */
    Claimed<B> claim(boolean nearOnly) throws SQLException;

    /** Prepares a batch for its first dispatch; repeated if it fails. */
    default void begin(B batch) throws SQLException {}

    /** Dispatches the next work of a queue and adds its outcome to the batch; returns {@code false} if there is none. */
    boolean dispatch(B batch, SerialQueue<W> queue, LeaseGuard guard);

    /** Writes the outcomes so far; the last settlement also gives back what was not dispatched. */
    Settled settle(B batch, boolean last, Mode mode) throws SQLException;

    /** Gives back what was claimed and never returned. */
    default void close() throws SQLException {}

    /** How to settle. */
    enum Mode {
        /** In one transaction, which waits for locked rows for a moment. */
        BATCH,
        /** Without the rows that another session holds locked. */
        SKIP_LOCKED,
        /** Each outcome in a transaction of its own; one that is refused becomes a dead letter. */
        ISOLATED
    }

    /** What a settlement wrote. */
    enum Settled {
        ALL,
        PARTLY,
        LEASE_LOST
    }

    /** What a claim found: a batch if anything, whether to claim again at once, and when a delivery is due. */
    record Claimed<B>(
            @Nullable B batch, boolean more, Optional<Duration> untilRedelivery, Optional<Duration> lookAgainIn) {

        public static <B> Claimed<B> nothing(boolean more) {
            return new Claimed<>(null, more, Optional.empty(), Optional.empty());
        }
    }
}
