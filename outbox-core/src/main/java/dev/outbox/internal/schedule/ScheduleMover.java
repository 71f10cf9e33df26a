package dev.outbox.internal.schedule;

import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.schedule.ScheduleStore.DueEvent;
import dev.outbox.internal.schedule.ScheduleStore.Place;
import dev.outbox.internal.schedule.ScheduleStore.Refused;
import dev.outbox.internal.schedule.ScheduleStore.Round;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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

    /** How many events behind those of locked aggregates a round looks at. */
    private static final int BATCH_BEHIND = 5_000;

    private static final int REFUSALS_BEFORE_ISOLATION = 3;
    private static final int LONGEST_ERROR = 500;

    private final ScheduleStore store;
    private final Set<String> streams;
    private final ObjIntConsumer<String> moved;

    /** Where the next round starts in each stream of which the last one saw locked aggregates only. */
    private final Map<String, Place> behind = new TreeMap<>();

    private int roundsWithoutMove;
    private int refusals;

    /** Creates a mover that reports how many events of a stream it has moved. */
    public ScheduleMover(
            DataSource dataSource, OutboxSchema schema, Set<String> streams, ObjIntConsumer<String> moved) {
        this.store = new ScheduleStore(dataSource, schema);
        this.streams = Set.copyOf(streams);
        this.moved = moved;
    }

    /** Moves a batch and returns the time until the next one. After three refusals in a row, moves event by event. */
    public Duration runOnce() throws SQLException {
        FaultPoint.BEFORE_MOVE.reached();
        if (refusals >= REFUSALS_BEFORE_ISOLATION) {
            return moveOneByOne() ? Duration.ZERO : BUSY;
        }
        Round round = moveBatch();
        int events = round.events();
        boolean more = events < BATCH && lookBehind(round);
        if (events == 0 && more) {
            return Duration.ZERO;
        }
        if (events == 0 && !round.looked().isEmpty()) {
            return withoutMove(round);
        }
        roundsWithoutMove = 0;
        if (events == 0) {
            return round.untilNext(UNTIL_WOKEN);
        }
        FaultPoint.AFTER_MOVE.reached();
        round.moved().forEach(moved::accept);
        return events < BATCH && !more ? BUSY : Duration.ZERO;
    }

    private Round moveBatch() throws SQLException {
        Map<String, Place> from = new TreeMap<>();
        streams.forEach((stream) -> from.put(stream, behind.getOrDefault(stream, Place.FIRST)));
        try {
            Round round = store.move(from, BATCH, depth());
            refusals = 0;
            return round;
        } catch (SQLException ex) {
            refusals = Causes.isRefusal(ex) ? refusals + 1 : refusals;
            throw ex;
        }
    }

    private int depth() {
        return behind.isEmpty() ? BATCH : BATCH_BEHIND;
    }

    /** Lets the next round start behind events of locked aggregates, which would hide others. Returns whether there may be such others. */
    private boolean lookBehind(Round round) {
        int depth = depth();
        behind.clear();
        round.looked().forEach((stream, looked) -> {
            if (looked.isLimited(depth)) {
                behind.put(stream, looked.last());
            }
        });
        return !behind.isEmpty();
    }

    /** Moves each due event in a transaction of its own, and puts aside those that PostgreSQL refuses. Returns whether to do so again. */
    private boolean moveOneByOne() throws SQLException {
        behind.clear();
        boolean again = false;
        for (String stream : streams) {
            List<DueEvent> due = store.due(stream, BATCH);
            int events = 0;
            for (DueEvent event : due) {
                try {
                    events += store.move(Map.of(stream, event.place()), 1, 1).events();
                } catch (SQLException ex) {
                    if (!Causes.isRefusal(ex)) {
                        throw ex;
                    }
                    putAside(stream, event, ex);
                    again = true;
                }
            }
            if (events > 0) {
                moved.accept(stream, events);
            }
            again |= events == BATCH;
        }
        refusals = again ? refusals : 0;
        return again;
    }

    private void putAside(String stream, DueEvent event, SQLException refusal) throws SQLException {
        String error = Failure.of(Failure.REFUSED, refusal).message();
        Optional<Refused> refused = store.putAside(event, error.substring(0, Math.min(error.length(), LONGEST_ERROR)));
        if (refused.isPresent() && refused.get().refusals() == 1) {
            log.error(
                    "PostgreSQL refused to store scheduled event {} ({} of {} {}, stream {}); it is tried again at {} and then ever more"
                            + " rarely. Correct what the message names, or cancel the event with the bean ScheduledEvents",
                    event.place().eventId(),
                    event.eventType(),
                    event.aggregateType(),
                    event.aggregateId(),
                    stream,
                    refused.get().nextAttempt(),
                    Redaction.loggable(refusal));
        }
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
