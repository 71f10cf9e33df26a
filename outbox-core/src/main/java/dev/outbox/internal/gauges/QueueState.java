package dev.outbox.internal.gauges;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What waits at one moment, by stream and by registered handler, and the tables that grow, the largest first. */
public record QueueState(Map<String, Stream> streams, Map<String, Handler> handlers, List<Table> tables) {

    /** Where counts of a stream stop; pending events are then estimated. */
    public static final int MOST_COUNTED = 10_000;

    /** Where counts of a handler stop. */
    public static final int MOST_COUNTED_OF_HANDLER = 1_000;

    /** Events of a stream that are not published, by status. */
    public record Stream(
            long pending,
            long processing,
            long retrying,
            long dead,
            long blockedLanes,
            Duration oldestPending,
            Duration oldestRetrying,
            long scheduled,
            Duration overdue,
            boolean exact) {

        /** A stream without events. */
        public static final Stream EMPTY =
                new Stream(0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, 0, Duration.ZERO, true);
    }

    /** Deliveries of a handler, after the first delivery of their events, and whether an operator paused it. */
    public record Handler(boolean paused, long open, long dead, Duration lag, boolean exact) {

        static final Handler IDLE = new Handler(false, 0, 0, Duration.ZERO, true);

        Handler withPaused(boolean state) {
            return new Handler(state, open, dead, lag, exact);
        }
    }

    /** Estimates of PostgreSQL on a table. */
    public record Table(String name, long rows, long bytes, long rowsPerDay) {}

    /** Returns the events of a stream; none if it has neither events nor a poller. */
    public Stream stream(String name) {
        return streams.getOrDefault(name, Stream.EMPTY);
    }
}
