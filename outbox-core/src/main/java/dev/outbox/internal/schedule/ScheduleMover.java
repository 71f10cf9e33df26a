package dev.outbox.internal.schedule;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.schedule.ScheduleStore.Round;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.function.ObjIntConsumer;
import javax.sql.DataSource;

/** Moves the scheduled events of some streams when they are due, a bounded batch at a time, and sleeps until the next one is. */
public final class ScheduleMover implements AutoCloseable {

    /** Without a due event: another instance may have scheduled one, and its wake-up may be lost. */
    private static final Duration IDLE = Duration.ofMinutes(1);

    /** With events that are due, but whose aggregate is locked or whose stream is full. */
    private static final Duration BUSY = Duration.ofMillis(50);

    private static final int BATCH = 500;
    private static final int DEEPEST_BATCH = 50_000;

    private final ScheduleStore store;
    private final Set<String> streams;
    private final ObjIntConsumer<String> moved;
    private final BackgroundLoop loop = new BackgroundLoop("outbox-schedule", this::runOnce);
    private int limit = BATCH;

    /** Creates a mover that has not started, and reports how many events of a stream it has moved. */
    public ScheduleMover(
            DataSource dataSource, OutboxSchema schema, Set<String> streams, ObjIntConsumer<String> moved) {
        this.store = new ScheduleStore(dataSource, schema);
        this.streams = Set.copyOf(streams);
        this.moved = moved;
    }

    public void start() {
        loop.start();
    }

    /** Makes the thread look for due events at once. */
    public void wake() {
        loop.wake();
    }

    /** Moves a batch and returns the time until the next one. */
    public Duration runOnce() throws SQLException {
        Round round = store.move(streams, limit);
        round.moved().forEach(moved::accept);
        if (!round.moved().isEmpty()) {
            limit = BATCH;
            return Duration.ZERO;
        }
        if (round.isDue()) {
            // Events of locked aggregates may fill the batch.
            limit = Math.min(limit * 10, DEEPEST_BATCH);
            return BUSY;
        }
        limit = BATCH;
        return round.untilNext(IDLE);
    }

    @Override
    public void close() {
        loop.close(Duration.ofSeconds(5));
    }
}
