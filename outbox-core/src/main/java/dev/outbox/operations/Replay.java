package dev.outbox.operations;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A replay that was asked for, as it stands.
 *
 * @param id its number
 * @param request what was asked for
 * @param origin who asked for it
 * @param status whether it goes on
 * @param progress how far it has come
 */
public record Replay(long id, ReplayRequest request, Origin origin, Status status, Progress progress) {

    /** Whether a replay goes on. */
    public enum Status {
        /** Deliveries are added, or some that were are still to be handled. */
        RUNNING,
        /** Every delivery was handled, or is dead. */
        DONE,
        /** Somebody has cancelled it. */
        CANCELLED
    }

    /**
     * Who asked for a replay.
     *
     * @param by who
     * @param reason why
     * @param at when
     */
    public record Origin(String by, String reason, Instant at) {}

    /**
     * How far a replay has come.
     *
     * @param fed how many deliveries were added
     * @param open how many of these are still to be handled
     * @param dead how many of these the handler has given up on
     * @param removed how many of these were skipped when the replay was cancelled
     * @param allFed whether every event of the selection was looked at, and nothing more will be added
     * @param finishedAt when it was done, or cancelled; {@code null} before
     */
    public record Progress(
            long fed,
            long open,
            long dead,
            long removed,
            boolean allFed,
            @Nullable Instant finishedAt) {

        /**
         * Returns how many deliveries are settled: handled, or skipped by an operator.
         *
         * @return their number
         */
        public long delivered() {
            return fed - open - dead - removed;
        }
    }
}
