package dev.outbox.operations;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Replay, or retry or skip in the background, with its current progress.
 *
 * @param id the number of the replay
 * @param kind what it does
 * @param request the request; of a retry or skip, the handler and the rate
 * @param deliveries what a retry or skip selects; {@code null} for a replay
 * @param origin who started it, and why
 * @param status the status
 * @param progress the progress
 */
public record Replay(
        long id,
        Kind kind,
        ReplayRequest request,
        @Nullable DeliverySelection deliveries,
        Origin origin,
        Status status,
        Progress progress) {

    /** {@return what a retry or skip left: what it selects, and what it retried and failed again} */
    public @Nullable DeliverySelection left() {
        return deliveries == null ? null : deliveries.orRetriedBy(id);
    }

    /** What a replay does. */
    public enum Kind {
        /** Delivers events again. */
        REPLAY,
        /** Retries deliveries. */
        RETRY,
        /** Skips deliveries. */
        SKIP
    }

    /** Status of a replay. */
    public enum Status {
        /** The replay has deliveries to add, retry or skip, or some that it has added are not handled yet. */
        RUNNING,
        /** Every delivery that it added is handled or dead; or all are retried or skipped. */
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
     * Progress of a replay. Counts of open and dead deliveries stop at {@link Count#MOST}, in a list of replays at
     * {@link Count#MOST_OF_EACH}. What another retry has retried since counts there.
     *
     * @param total the number of deliveries that a retry or skip had before it at its start; {@code null} for a replay, or if it was not
     *     counted in time
     * @param fed the number of deliveries that were added, retried or skipped
     * @param open the number of added or retried deliveries that are not handled yet
     * @param dead the number of added deliveries that are dead, or of retried ones that died again
     * @param busy the number of deliveries that a retry or skip left alone: leased by a worker, or locked
     * @param allFed whether the replay has come to its end
     * @param elapsed the time since its start, until it finished; at least what its rate takes for the deliveries so far
     * @param finishedAt when the replay had added, retried or skipped its last delivery, or was cancelled; {@code null} before
     */
    public record Progress(
            @Nullable Long total,
            long fed,
            Count open,
            Count dead,
            long busy,
            boolean allFed,
            Duration elapsed,
            @Nullable Instant finishedAt) {

        /** {@return how many deliveries were handled, or skipped by an operator; {@code null} unless open and dead are exact} */
        public @Nullable Long delivered() {
            return open.exact() && dead.exact() ? fed - open.value() - dead.value() : null;
        }

        /** {@return how many deliveries were added, retried or skipped per second, on average} */
        public double rate() {
            return elapsed.isZero() ? 0 : fed * 1e9 / elapsed.toNanos();
        }

        /** {@return how long a retry or skip still needs at this rate; {@code null} if that is not known, or it is over} */
        public @Nullable Duration timeLeft() {
            return total == null || finishedAt != null || rate() == 0
                    ? null
                    : Duration.ofMillis((long) (Math.max(0, total - fed - busy) / rate() * 1000));
        }
    }
}
