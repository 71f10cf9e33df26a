package dev.outbox.internal.gauges;

import dev.outbox.internal.sql.Counted;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What waits at one moment, by stream and by registered handler, the tables that grow, the largest first, and the bytes of the log that the
 * last standby has yet to replay, unless none is visible.
 */
public record QueueState(
        Map<String, Stream> streams,
        Map<String, Handler> handlers,
        List<Table> tables,
        @Nullable Long replicationLag) {

    /**
     * Events of a stream that are not published, by status, and whether an operator paused it. Pending events that are not counted exactly
     * are estimated. Failures are those of the retrying events, of which some are held by pauses of handlers alone.
     */
    public record Stream(
            boolean paused,
            Counted pending,
            Counted processing,
            Counted retrying,
            Counted dead,
            Counted blockedLanes,
            Duration oldestPending,
            Duration oldestRetrying,
            Counted scheduled,
            Duration overdue,
            long failures,
            long held) {

        /** A stream without events. */
        public static final Stream EMPTY = new Stream(
                false,
                Counted.NONE,
                Counted.NONE,
                Counted.NONE,
                Counted.NONE,
                Counted.NONE,
                Duration.ZERO,
                Duration.ZERO,
                Counted.NONE,
                Duration.ZERO,
                0,
                0);

        /** Returns whether every count is exact. */
        public boolean exact() {
            return pending.exact() && processing.exact() && retrying.exact() && dead.exact() && scheduled.exact();
        }
    }

    /**
     * Deliveries of a handler, after the first delivery of their events, and whether an operator paused it. The second lag leaves out streams
     * that an operator paused.
     */
    public record Handler(boolean paused, Counted open, Counted dead, Duration lag, Duration lagOfRunningStreams) {

        static final Handler IDLE = new Handler(false, Counted.NONE, Counted.NONE, Duration.ZERO, Duration.ZERO);

        Handler withPaused(boolean state) {
            return new Handler(state, open, dead, lag, lagOfRunningStreams);
        }
    }

    /** Estimates of PostgreSQL on a table. */
    public record Table(String name, long rows, long bytes, long rowsPerDay) {}

    /** Returns the events of a stream; none if it has neither events nor a poller. */
    public Stream stream(String name) {
        return streams.getOrDefault(name, Stream.EMPTY);
    }
}
