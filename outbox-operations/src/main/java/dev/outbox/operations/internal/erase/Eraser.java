package dev.outbox.operations.internal.erase;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.Count;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.Erasure.Undelivered;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.OutboxOperations.Erasable;
import dev.outbox.operations.OutboxOperations.Erased;
import dev.outbox.operations.internal.erase.EraseStore.Counts;
import dev.outbox.operations.internal.erase.EraseStore.Page;
import dev.outbox.operations.internal.inspect.OperationLogStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Erases events batch by batch. It keeps no state: another call finds what the first one left. */
public final class Eraser {

    private static final int BATCH = 500;
    private static final Duration LONGEST_COUNT = Duration.ofSeconds(1);

    private final EraseStore store;
    private final OperationLogStore records;

    public Eraser(DataSource dataSource, OutboxSchema schema, OutboxSchema archive) {
        this.records = new OperationLogStore(dataSource, schema);
        this.store = new EraseStore(dataSource, schema, archive);
    }

    /** Counts what an erasure would find, for about a second: no index of history and archive knows the aggregate. */
    public Erasable count(Erasure erasure) throws SQLException {
        EraseStore.Undelivered undelivered = store.count(erasure);
        long deadline = System.nanoTime() + LONGEST_COUNT.toNanos();
        Count events = erasure.aggregateId() == null
                ? new Count(erasure.eventIds().size(), true)
                : undelivered.scheduled().plus(count(erasure, false, deadline)).plus(count(erasure, true, deadline));
        return new Erasable(events, undelivered.open().plus(undelivered.scheduled()));
    }

    private Count count(Erasure erasure, boolean archived, long deadline) throws SQLException {
        long found = 0;
        Long after = Long.MIN_VALUE;
        while (after != null) {
            if (found >= Count.MOST || System.nanoTime() - deadline > 0) {
                return new Count(Math.min(found, Count.MOST), false);
            }
            Page page = store.find(erasure, archived, after);
            found += page.eventIds().size();
            after = page.lastId();
        }
        return new Count(found, true);
    }

    /** Refuses a role without the grants of an eraser, and an erasure of undelivered events, before anything changes. */
    public void check(Erasure erasure, AuditInfo audit) throws SQLException {
        store.erase(List.of(), null, audit);
        if (erasure.undelivered() != Undelivered.REFUSE) {
            return;
        }
        EraseStore.Undelivered found = store.count(erasure);
        Count undelivered = found.open().plus(found.scheduled());
        if (undelivered.value() > 0) {
            throw new InvalidOperationException(
                    Reason.UNDELIVERED,
                    undelivered
                            + " of the events to erase are not delivered: keep them for a later erasure (KEEP), or withdraw"
                            + " them (WITHDRAW)",
                    null);
        }
    }

    /** Erases what is delivered. Counts scheduled events first: one that is due meanwhile is found in the queue, behind the others. */
    public Erased erase(Erasure erasure, AuditInfo audit) throws SQLException {
        boolean cancels = erasure.undelivered() == Undelivered.WITHDRAW;
        Long withdrawal = cancels ? records.nextCommand() : null;
        AuditInfo cancellation = audit.asCommand(records.nextCommand());
        while (cancels) {
            FaultPoint.BEFORE_ERASURE.reached();
            cancels = store.cancel(erasure, BATCH, cancellation) > 0;
            FaultPoint.AFTER_ERASURE.reached();
        }
        Count scheduled = store.count(erasure).scheduled();
        AuditInfo own = audit.asCommand(records.nextCommand());
        Counts counts = erasure.aggregateId() == null
                ? inBatches(List.copyOf(erasure.eventIds()), withdrawal, own)
                : ofAggregate(erasure, false, withdrawal, own).plus(ofAggregate(erasure, true, withdrawal, own));
        return Erased.of(counts.erased(), scheduled.plus(new Count(counts.left(), true)));
    }

    private Counts ofAggregate(Erasure erasure, boolean archived, @Nullable Long withdrawal, AuditInfo audit)
            throws SQLException {
        Counts counts = Counts.NONE;
        Long after = Long.MIN_VALUE;
        while (after != null) {
            Page page = store.find(erasure, archived, after);
            counts = counts.plus(inBatches(page.eventIds(), withdrawal, audit));
            after = page.lastId();
        }
        return counts;
    }

    private Counts inBatches(List<UUID> eventIds, @Nullable Long withdrawal, AuditInfo audit) throws SQLException {
        Counts counts = Counts.NONE;
        for (int from = 0; from < eventIds.size(); from += BATCH) {
            List<UUID> batch = eventIds.subList(from, Math.min(from + BATCH, eventIds.size()));
            FaultPoint.BEFORE_ERASURE.reached();
            counts = counts.plus(store.erase(batch, withdrawal, audit));
            FaultPoint.AFTER_ERASURE.reached();
        }
        return counts;
    }
}
