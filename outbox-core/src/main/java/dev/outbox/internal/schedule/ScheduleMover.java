package dev.outbox.internal.schedule;

import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.schedule.ScheduleStore.Round;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.function.ObjIntConsumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves the scheduled events of some streams when they are due, a bounded batch at a time, and sleeps until the next one is. */
public final class ScheduleMover {

    private static final Logger log = LoggerFactory.getLogger(ScheduleMover.class);

    /** A wake-up announces each event that is due soon, and the look of the instance finds the others. */
    private static final Duration UNTIL_WOKEN = Duration.ofHours(1);

    /** With events that are due, but whose aggregate is locked or whose stream is full; doubled as long as none is moved. */
    private static final Duration BUSY = Duration.ofMillis(50);

    private static final Duration LONGEST_BUSY = Duration.ofSeconds(1);
    private static final int ROUNDS_UNTIL_REPORT = 60;

    private static final int BATCH = 500;
    private static final int DEEPEST = 50_000;

    private final ScheduleStore store;
    private final Set<String> streams;
    private final ObjIntConsumer<String> moved;
    private int depth = BATCH;
    private int roundsWithoutMove;

    /** Creates a mover that reports how many events of a stream it has moved. */
    public ScheduleMover(
            DataSource dataSource, OutboxSchema schema, Set<String> streams, ObjIntConsumer<String> moved) {
        this.store = new ScheduleStore(dataSource, schema);
        this.streams = Set.copyOf(streams);
        this.moved = moved;
    }

    /** Moves a batch and returns the time until the next one. */
    public Duration runOnce() throws SQLException {
        FaultPoint.BEFORE_MOVE.reached();
        Round round = store.move(streams, BATCH, depth);
        int events = round.events();
        if (events == BATCH || round.looked() == 0) {
            depth = BATCH;
        } else if (round.looked() >= depth) {
            // Events of locked aggregates may hide others.
            depth = Math.min(depth * 10, DEEPEST);
        }
        if (events == 0 && round.looked() > 0) {
            return withoutMove(round);
        }
        roundsWithoutMove = 0;
        if (events == 0) {
            return round.untilNext(UNTIL_WOKEN);
        }
        FaultPoint.AFTER_MOVE.reached();
        round.moved().forEach(moved::accept);
        return events < BATCH ? BUSY : Duration.ZERO;
    }

    private Duration withoutMove(Round round) {
        Duration doubled = BUSY.multipliedBy(1L << Math.min(roundsWithoutMove, 10));
        Duration busy = doubled.compareTo(LONGEST_BUSY) < 0 ? doubled : LONGEST_BUSY;
        Duration pause = round.untilNext(busy);
        if (pause.equals(busy) && ++roundsWithoutMove == ROUNDS_UNTIL_REPORT) {
            log.warn(
                    "Scheduled events are due and cannot move: a transaction has held their aggregates for a minute, or their"
                            + " counters were deleted. The bean ScheduledEvents lists and cancels them");
        }
        return pause;
    }
}
