package dev.outbox.operations;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Replay with its current progress.
 *
 * @param id the number of the replay
 * @param request the request
 * @param origin who started it, and why
 * @param status the status
 * @param progress the progress
 */
public record Replay(long id, ReplayRequest request, Origin origin, Status status, Progress progress) {

    /** Status of a replay. */
    public enum Status {
        /** The replay adds deliveries, or some of them are not handled yet. */
        RUNNING,
        /** Every delivery is handled or dead. */
        DONE,
        /** An operator cancelled the replay. */
        CANCELLED
    }

    /**
     * Origin of a replay.
     *
     * @param by the operator
     * @param reason the reason
     * @param at the time
     */
    public record Origin(String by, String reason, Instant at) {}

    /**
     * Progress of a replay.
     *
     * @param fed the number of added deliveries
     * @param open the number of these that are not handled yet
     * @param dead the number of these that are dead
     * @param allFed whether the replay has added all deliveries
     * @param finishedAt when the replay had added its last delivery, or was cancelled; {@code null} before
     */
    public record Progress(
            long fed,
            long open,
            long dead,
            boolean allFed,
            @Nullable Instant finishedAt) {

        /**
         * Returns how many deliveries were handled, or skipped by an operator.
         *
         * @return the number of deliveries
         */
        public long delivered() {
            return fed - open - dead;
        }
    }
}
