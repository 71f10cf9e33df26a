package dev.outbox.internal.operations;

import dev.outbox.internal.delivery.AuditInfo;
import dev.outbox.internal.store.CandidateStore;
import dev.outbox.internal.store.DeliveryQueryStore;
import dev.outbox.internal.store.OperationLogStore;
import dev.outbox.internal.store.OperationStore;
import dev.outbox.internal.store.OutboxSchema;
import dev.outbox.internal.store.PauseStore;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * What an operator may ask and do while everything goes on. Works whether the outbox of this process is started or not. Safe for use by
 * many threads.
 *
 * <p>Each call uses a connection and transactions of its own, and waits for one of the pool. A transaction that the calling thread is in
 * is neither used nor affected: its rollback does not undo what was done here.
 *
 * <p>Every method throws {@link dev.outbox.operations.InvalidOperationException} before any SQL runs if a value breaks a rule, and a
 * {@link DataAccessException} if the database refused or could not be reached.
 */
public final class JdbcOperations {

    private static final Logger log = LoggerFactory.getLogger(JdbcOperations.class);

    private final DeliveryQueryStore deliveries;
    private final OperationLogStore records;
    private final LaneOperations lanes;
    private final Pauses pauses;

    /** Creates operations. */
    public JdbcOperations(DataSource dataSource, OutboxSchema schema, Consumer<String> wake) {
        this.deliveries = new DeliveryQueryStore(dataSource, schema);
        this.records = new OperationLogStore(dataSource, schema);
        this.lanes = new LaneOperations(
                new CandidateStore(dataSource, schema), new OperationStore(dataSource, schema), wake);
        this.pauses = new Pauses(new PauseStore(dataSource, schema), wake);
    }

    /** What a retry did. */
    public record Retried(int affected, int busy, int outOfOrder) {}

    /** What a skip did. */
    public record Skipped(int affected, int busy) {}

    /**
     * Finds deliveries that are to be attempted again, wait for their turn, or are dead: those of the oldest events first. For the next
     * page, say {@link DeliverySelection#after} which one the last page has ended.
     */
    public List<Delivery> find(DeliverySelection selection, int limit) {
        OperationRules.check(selection);
        OperationRules.check(limit);
        return DatabaseCall.select("find deliveries", selection, () -> deliveries.find(selection, limit));
    }

    /** Counts deliveries that are to be attempted again, wait for their turn, or are dead. */
    public long count(DeliverySelection selection) {
        OperationRules.check(selection);
        return DatabaseCall.select("count deliveries", selection, () -> deliveries.count(selection));
    }

    /**
     * Retries deliveries, as if they had never failed: one, some, or whole lanes. A dead one takes its place in its lane again, which is that of
     * its event: if it is the first, it is due at once, and a later one that waits for its time makes way for it; otherwise it waits
     * for its turn, behind a dead one that blocks the lane too. One that only waits for its time is due at once. What has nothing to
     * forget is left as it is, and is not counted.
     *
     * <p>Works through the deliveries that exist when it begins, in order, 500 to a transaction; if it fails, what was committed stays.
     * Where the handler has had later events of the aggregate already, the result and one line of the log say so.
     */
    public Retried retry(DeliverySelection selection, String by, String reason) {
        AuditInfo instruction = OperationRules.check(selection, by, reason);
        OperationStore.Done done =
                DatabaseCall.select("retry deliveries", selection, () -> lanes.retry(selection, instruction));
        log.info("{} deliveries retried by {}, {} left alone because they are busy", done.affected(), by, done.busy());
        if (done.outOfOrder() > 0) {
            log.warn(
                    "{} of the {} deliveries retried by {} come after later events of their aggregate, which their handlers"
                            + " have had already",
                    done.outOfOrder(),
                    done.affected(),
                    by);
        }
        return new Retried(done.affected(), done.busy(), done.outOfOrder());
    }

    /**
     * Gives deliveries up for good: one, some, or whole lanes, whether dead or not. Their handlers do not get them any more, the next of
     * each lane comes up, and an event that has nothing left to try counts as published.
     *
     * <p>Works through the deliveries that exist when it begins, in order, 500 to a transaction; if it fails, what was committed stays.
     */
    public Skipped skip(DeliverySelection selection, String by, String reason) {
        AuditInfo instruction = OperationRules.check(selection, by, reason);
        OperationStore.Done done =
                DatabaseCall.select("skip deliveries", selection, () -> lanes.skip(selection, instruction));
        log.info("{} deliveries skipped by {}, {} left alone because they are busy", done.affected(), by, done.busy());
        return new Skipped(done.affected(), done.busy());
    }

    /**
     * Pauses a handler in every process, until it is resumed: each obeys from its next claim on, and after a restart too. What runs, goes
     * on. The handler's deliveries queue up in their lanes; other handlers are not affected.
     */
    public boolean pauseHandler(String handlerId, String by, String reason) {
        AuditInfo instruction = OperationRules.check("handler id", handlerId, by, reason);
        return DatabaseCall.run("pause a handler", () -> pauses.setHandler(handlerId, true, instruction));
    }

    /**
     * Pauses a handler that no process has yet, so that it gets nothing when the first one has it: what it is to get first can be
     * {@linkplain JdbcReplays replayed} before it is resumed. Does what {@link #pauseHandler} does if some process has it. An id that is
     * mistaken stands in the registry for ever.
     */
    public boolean pauseNewHandler(String handlerId, String by, String reason) {
        AuditInfo instruction = OperationRules.check("handler id", handlerId, by, reason);
        return DatabaseCall.run("pause a new handler", () -> pauses.pauseNewHandler(handlerId, instruction));
    }

    /** Resumes a handler. What has queued up is due at once, in order. */
    public boolean resumeHandler(String handlerId, String by, String reason) {
        AuditInfo instruction = OperationRules.check("handler id", handlerId, by, reason);
        return DatabaseCall.run("resume a handler", () -> pauses.setHandler(handlerId, false, instruction));
    }

    /**
     * Pauses a stream in every process, until it is resumed: nothing of it is claimed any more, whether new or to be retried. Events
     * are published into it all the same.
     */
    public boolean pauseStream(String stream, String by, String reason) {
        AuditInfo instruction = OperationRules.check("stream", stream, by, reason);
        return DatabaseCall.run("pause a stream", () -> pauses.setStream(stream, true, instruction));
    }

    /** Resumes a stream. */
    public boolean resumeStream(String stream, String by, String reason) {
        AuditInfo instruction = OperationRules.check("stream", stream, by, reason);
        return DatabaseCall.run("resume a stream", () -> pauses.setStream(stream, false, instruction));
    }

    /**
     * Finds what operators did, the latest first. For the next page, say {@link OperationSelection#olderThan} which one the last page has
     * ended. Nothing is ever removed from this record.
     */
    public List<Operation> operations(OperationSelection selection, int limit) {
        OperationRules.check(selection);
        OperationRules.check(limit);
        return DatabaseCall.run("find operations", () -> records.find(selection, limit));
    }
}
