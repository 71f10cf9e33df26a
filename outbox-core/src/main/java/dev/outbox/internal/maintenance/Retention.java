package dev.outbox.internal.maintenance;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.ArchiveStore;
import dev.outbox.internal.store.IdleAggregateStore;
import dev.outbox.internal.store.ProcessedEventStore;
import dev.outbox.internal.store.RemovedBatch;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves published events to the archive when their time is over, and forgets what deduplicating handlers have processed, batch
 * by batch, on a schedule or when called. One instance works at a time; the others find nothing to do. Dead events stay until
 * somebody has decided about them.
 */
public final class Retention implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Retention.class);

    private static final Duration LONGEST_REST = Duration.ofHours(1);

    private final RetentionSettings settings;
    private final ArchiveStore store;
    private final ProcessedEventStore inbox;
    private final IdleAggregateStore aggregates;
    private final Clock clock;
    private final @Nullable UnaryOperator<Instant> schedule;
    private final BackgroundLoop duty = new BackgroundLoop("outbox-retention", this::step);
    private @Nullable Instant next;

    /** Creates a retention that has not started. */
    public Retention(
            RetentionSettings settings,
            ArchiveStore store,
            ProcessedEventStore inbox,
            IdleAggregateStore aggregates,
            Clock clock,
            @Nullable UnaryOperator<Instant> schedule) {
        this.settings = settings;
        this.store = store;
        this.inbox = inbox;
        this.aggregates = aggregates;
        this.clock = clock;
        this.schedule = schedule;
    }

    /** Starts the schedule, if there is one. */
    public void start() {
        if (schedule != null) {
            next = null;
            duty.start();
        }
    }

    /** Moves and forgets everything that is due, on the calling thread. */
    public long runOnce() throws SQLException {
        long moved = inBatches(this::archive);
        if (moved > 0) {
            log.info(
                    "{} {} published events older than {}",
                    settings.archive() ? "archived" : "deleted",
                    moved,
                    settings.published());
        }
        long forgotten = inBatches(this::purge);
        if (forgotten > 0) {
            log.info("forgot {} processed events older than {}", forgotten, settings.processedEvents());
        }
        Duration idle = settings.idleAggregates();
        if (idle != null) {
            long removed = removeCounters(idle);
            if (removed > 0) {
                log.info("removed the counters of {} aggregates without events for {}", removed, idle);
            }
        }
        return moved;
    }

    private RemovedBatch archive(OffsetDateTime from) throws SQLException {
        FaultPoint.BEFORE_ARCHIVE.reached();
        RemovedBatch moved = store.archive(from, settings.published(), settings.batchSize(), settings.archive());
        FaultPoint.AFTER_ARCHIVE.reached();
        return moved;
    }

    private RemovedBatch purge(OffsetDateTime from) throws SQLException {
        FaultPoint.BEFORE_INBOX_PURGE.reached();
        RemovedBatch forgotten = inbox.purge(from, settings.processedEvents(), settings.batchSize());
        FaultPoint.AFTER_INBOX_PURGE.reached();
        return forgotten;
    }

    /** A counter that is above the floor waits for a later run, in which all transactions know the raised floor. */
    private long removeCounters(Duration idle) throws SQLException {
        long removed = 0;
        long lastSequence = 0;
        IdleAggregateStore.Page page = IdleAggregateStore.Page.BEGINNING;
        do {
            FaultPoint.BEFORE_COUNTER_REMOVAL.reached();
            page = aggregates.remove(page, idle, settings.batchSize());
            FaultPoint.AFTER_COUNTER_REMOVAL.reached();
            removed += page.removed();
            lastSequence = Math.max(lastSequence, page.lastSequence());
        } while (page.looked() == settings.batchSize() && !duty.isClosing());
        aggregates.raiseFloor(lastSequence);
        return removed;
    }

    /** Each batch begins where the last one ended, so that the last one of a run costs as much as the first. */
    private long inBatches(Batch batch) throws SQLException {
        long total = 0;
        RemovedBatch removed;
        OffsetDateTime from = RemovedBatch.BEGINNING;
        do {
            removed = batch.run(from);
            from = removed.upTo();
            total += removed.rows();
        } while (removed.rows() == settings.batchSize() && !duty.isClosing());
        return total;
    }

    /** One transaction. */
    @FunctionalInterface
    private interface Batch {
        RemovedBatch run(OffsetDateTime from) throws SQLException;
    }

    private Duration step() throws SQLException {
        UnaryOperator<Instant> times = schedule;
        if (times == null) {
            return LONGEST_REST;
        }
        Instant now = clock.instant();
        Instant due = next;
        if (due != null && !now.isBefore(due)) {
            next = times.apply(now);
            runOnce();
            return Duration.ZERO;
        }
        if (due == null) {
            next = times.apply(now);
        }
        // Looks at the clock now and then: a machine that slept must not run an hour late.
        Duration rest = Duration.between(now, next);
        return rest.compareTo(LONGEST_REST) < 0 ? rest : LONGEST_REST;
    }

    @Override
    public void close() {
        duty.close(Duration.ofSeconds(5));
    }
}
