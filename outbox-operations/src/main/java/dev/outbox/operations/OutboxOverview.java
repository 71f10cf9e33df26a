package dev.outbox.operations;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * State of the outbox at one moment.
 *
 * @param at the moment, by the clock of the database
 * @param streams the streams, in the order of their names
 * @param handlers the registered handlers, in the order of their ids
 * @param instances the instances that poll, in the order of their names
 * @param tables the tables that grow, the largest first
 */
public record OutboxOverview(
        Instant at, List<Stream> streams, List<Handler> handlers, List<Instance> instances, List<Table> tables) {

    /**
     * Size of a table that grows with the events, or with what operators do. A table without a retention grows for ever. The figures are
     * estimates of PostgreSQL: its last vacuum or analyze, and its statistics.
     *
     * @param name the schema and the name
     * @param rows the rows
     * @param bytes the bytes, with its indexes
     * @param rowsPerDay the rows added minus the rows removed per day since the statistics began; on the first day, so far
     */
    public record Table(String name, long rows, long bytes, long rowsPerDay) {}

    /**
     * State of a stream.
     *
     * @param name the name
     * @param paused whether an operator paused it
     * @param pausedUntil when that pause ends by itself; {@code null} if an operator has to end it
     * @param backlog the events that are not published
     * @param deliveredPerSecond events completed per second in the last minute, or while the latest {@link Count#MOST}
     *     events of all streams were completed, if that is shorter
     * @param claims the batches that workers hold at the moment
     */
    public record Stream(
            String name,
            boolean paused,
            @Nullable Instant pausedUntil,
            Backlog backlog,
            double deliveredPerSecond,
            List<Claim> claims) {}

    /**
     * Events of a stream that are not published, by status. Counts stop at {@link Count#MOST}.
     *
     * @param pending events that await their first delivery; alone among all counts, an estimate if it is not exact
     * @param processing events of live claims, and those that a worker attempts or awaits after the first delivery while no attempt has ended
     * @param retrying other events with open deliveries after the first delivery
     * @param dead dead letters, also of events that another handler still retries
     * @param blockedLanes lanes that wait behind a dead letter
     * @param oldestPending the age of the oldest pending event; zero if there is none
     * @param oldestRetrying how long the oldest open delivery that is not replayed has waited since it was queued, or retried by an operator;
     *     zero if there is none
     * @param scheduled events that are due later
     * @param overdue how long the oldest scheduled event has been due; zero if none is
     */
    public record Backlog(
            Count pending,
            Count processing,
            Count retrying,
            Count dead,
            Count blockedLanes,
            Duration oldestPending,
            Duration oldestRetrying,
            Count scheduled,
            Duration overdue) {}

    /**
     * Batch of first deliveries that a worker holds.
     *
     * @param worker the worker
     * @param events the number of events
     * @param claimedAt when it was claimed
     * @param leaseUntil when the lease expires unless the worker renews it; in the past if the worker crashed
     */
    public record Claim(String worker, int events, Instant claimedAt, Instant leaseUntil) {}

    /**
     * State of a handler.
     *
     * @param id the current id
     * @param eventTypes the event types that it subscribes to, each with what else restricts its events, such as {@code own OrderPlaced of Order}
     * @param paused whether an operator paused it
     * @param pausedUntil when that pause ends by itself; {@code null} if an operator has to end it
     * @param lastSeenAt the last heartbeat of an instance that has it, which is given each minute; {@code null} if it was paused before its
     *     first registration
     * @param deliveries its open deliveries
     * @param circuitOpenIn the instances with a heartbeat in the last minute in which its circuit is open
     * @param runTimes its calls of the last minute, by stream
     */
    public record Handler(
            String id,
            Set<String> eventTypes,
            boolean paused,
            @Nullable Instant pausedUntil,
            @Nullable Instant lastSeenAt,
            Deliveries deliveries,
            Set<String> circuitOpenIn,
            List<RunTime> runTimes) {}

    /**
     * Calls of a handler in a stream that returned or failed in the last minute, in all running instances, as of their last heartbeats.
     *
     * @param stream the stream
     * @param calls how many calls
     * @param total how long they ran together
     */
    public record RunTime(String stream, long calls, Duration total) {

        /**
         * Adds calls.
         *
         * @param more the other calls
         * @return all of them, in this stream
         */
        public RunTime plus(RunTime more) {
            return new RunTime(stream, calls + more.calls, total.plus(more.total));
        }

        /** {@return how long a call ran on average; zero if there was none} */
        public Duration mean() {
            return calls == 0 ? Duration.ZERO : total.dividedBy(calls);
        }
    }

    /**
     * Open deliveries of a handler after the first delivery of their events, under its current and former ids. Counts stop at
     * {@link Count#MOST}, and if many handlers have deliveries, at {@link Count#MOST_OF_EACH} at the earliest.
     *
     * @param open deliveries that are attempted when their delay is over and no earlier one of their lane is left
     * @param dead dead letters
     * @param lag how long the oldest open delivery that is not replayed has waited since it was queued, or retried by an operator; zero if
     *     there is none
     */
    public record Deliveries(Count open, Count dead, Duration lag) {}

    /**
     * Instance that polls.
     *
     * @param name the name of its worker, as in claims
     * @param application its {@code spring.application.name}; {@code null} if it has none
     * @param startedAt when it started
     * @param lastSeenAt its last heartbeat, at most 20 s old unless it crashed
     * @param streams the streams that it polls
     * @param openCircuits the handlers whose circuit is open
     * @param stoppedInboxes the inboxes that receive nothing, each as {@code name: problem}
     * @param calls the calls of handlers that ran for a second or more at its last heartbeat, the longest first, at most 50; none if that
     *     heartbeat is more than 30 s old. While a call lasts, a heartbeat is at most 6 s old; a call that has ended is listed for up to 11 s
     */
    public record Instance(
            String name,
            @Nullable String application,
            Instant startedAt,
            Instant lastSeenAt,
            Set<String> streams,
            Set<String> openCircuits,
            Set<String> stoppedInboxes,
            List<Call> calls) {}

    /**
     * Call of a handler that has not returned.
     *
     * @param handlerId the current id of the handler
     * @param stream the stream of the event
     * @param eventId the event; of several that the handler gets together, the first
     * @param eventType its type
     * @param aggregateType the type of its aggregate
     * @param aggregateId the id of its aggregate
     * @param running how long it has run
     * @param state how urgent it is
     */
    public record Call(
            String handlerId,
            String stream,
            UUID eventId,
            String eventType,
            String aggregateType,
            String aggregateId,
            Duration running,
            State state) {

        /** How urgent a call is. */
        public enum State {
            /** It has run for a second. */
            RUNNING,
            /** It has run for 10 s. */
            SLOW,
            /** It has run for longer than a lease of its stream, or ignores the interrupt at its timeout. */
            STUCK
        }
    }
}
