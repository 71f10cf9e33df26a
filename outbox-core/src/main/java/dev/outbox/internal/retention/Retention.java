package dev.outbox.internal.retention;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.retention.RetentionStore.Batch;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Archives or deletes published events and removes what else is old enough, on a schedule or when called. */
public final class Retention implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Retention.class);

    private static final Duration LONGEST_DELAY = Duration.ofHours(1);

    private final RetentionSettings settings;
    private final RetentionStore store;
    private volatile DeadLetters deadLetters = (diedBefore, audit) -> {};
    private final Clock clock;
    private final @Nullable UnaryOperator<Instant> schedule;
    private final BackgroundLoop loop;
    private @Nullable Instant next;

    /** Dead letters, of which those that died long ago are skipped. */
    @FunctionalInterface
    public interface DeadLetters {
        void skip(Instant diedBefore, AuditInfo audit) throws SQLException;
    }

    /** Creates a retention that has not started. */
    public Retention(
            RetentionSettings settings,
            DataSource dataSource,
            OutboxSchema schema,
            OutboxSchema archive,
            Clock clock,
            @Nullable UnaryOperator<Instant> schedule) {
        this.settings = settings;
        this.store = new RetentionStore(dataSource, schema, archive);
        this.clock = clock;
        this.schedule = schedule;
        this.loop = new BackgroundLoop("outbox-retention", dataSource, this::step);
    }

    /** Lets dead letters that died long ago be skipped. */
    public void skipDeadLettersWith(DeadLetters deadLetters) {
        this.deadLetters = deadLetters;
    }

    /** Starts the schedule, if there is one; and without one, calls remove everything again after a close. */
    public void start() {
        next = null;
        loop.start();
    }

    /** Removes everything that is old enough, and returns how many events were archived or deleted. A step that fails stops no other. */
    public long runOnce() throws SQLException {
        long moved = 0;
        SQLException failure = null;
        for (Step step : List.<Step>of(
                this::archiveAll,
                () -> remove("processed events", settings.received(), RetentionStore.BEGINNING, this::purge),
                this::expireDeadLetters,
                () -> trim("rows of the archive", RetentionStore.TRIM_ARCHIVE, settings.archived()),
                () -> trim("replays", RetentionStore.TRIM_REPLAYS, settings.replays()),
                () -> trim("operations", RetentionStore.TRIM_OPERATIONS, settings.operations()))) {
            try {
                FaultPoint.BEFORE_RETENTION.reached();
                moved += step.run();
                FaultPoint.AFTER_RETENTION.reached();
            } catch (SQLException ex) {
                if (failure != null) {
                    ex.addSuppressed(failure);
                }
                failure = ex;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return moved;
    }

    /** Part of a run; returns how many events it archived or deleted. */
    private interface Step {
        long run() throws SQLException;
    }

    private long archiveAll() throws SQLException {
        long moved = inBatches(RetentionStore.BEGINNING, this::archive);
        if (moved > 0) {
            log.info(
                    "{} {} published events older than {}",
                    settings.archive() ? "Archived" : "Deleted",
                    moved,
                    settings.published());
        }
        return moved;
    }

    private long expireDeadLetters() throws SQLException {
        Duration dead = settings.dead();
        if (dead != null) {
            deadLetters.skip(
                    store.cutoff(dead),
                    new AuditInfo("outbox", "dead for more than " + dead + ": outbox.retention.dead"));
        }
        return 0;
    }

    private long trim(String what, String statement, @Nullable Duration age) throws SQLException {
        return age == null
                ? 0
                : remove(what, age, 0L, (from) -> store.trim(statement, from, age, settings.batchSize()));
    }

    private <P> long remove(String what, Duration age, P beginning, Removal<P> removal) throws SQLException {
        long removed = inBatches(beginning, removal);
        if (removed > 0) {
            log.info("Removed {} {} older than {}", removed, what, age);
        }
        return 0;
    }

    Batch<OffsetDateTime> archive(OffsetDateTime from) throws SQLException {
        return store.archive(from, settings.published(), settings.batchSize(), settings.archive());
    }

    private Batch<OffsetDateTime> purge(OffsetDateTime from) throws SQLException {
        return store.purge(from, settings.received(), settings.batchSize());
    }

    /** Each batch begins where the last one ended, so that the last batch of a run costs as much as the first. */
    private <P> long inBatches(P beginning, Removal<P> removal) throws SQLException {
        Batch<P> batch = removal.run(beginning);
        long total = batch.rows();
        while (batch.more() && !loop.isClosing()) {
            batch = removal.run(batch.upTo());
            total += batch.rows();
        }
        return total;
    }

    /** Removes one batch in a transaction. */
    @FunctionalInterface
    private interface Removal<P> {
        Batch<P> run(P from) throws SQLException;
    }

    private Duration step() throws SQLException {
        UnaryOperator<Instant> times = schedule;
        if (times == null) {
            return LONGEST_DELAY;
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
        // Reads the clock at least once an hour: after a suspension, the machine must not run much too late.
        Duration delay = Duration.between(now, next);
        return delay.compareTo(LONGEST_DELAY) < 0 ? delay : LONGEST_DELAY;
    }

    @Override
    public void close() {
        loop.close(Duration.ofSeconds(5));
    }
}
