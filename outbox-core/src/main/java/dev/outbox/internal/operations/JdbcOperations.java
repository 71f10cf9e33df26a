package dev.outbox.internal.operations;

import dev.outbox.internal.delivery.AuditInfo;
import dev.outbox.internal.store.DeliveryQueryStore;
import dev.outbox.internal.store.DeliveryRef;
import dev.outbox.internal.store.HandlerExpiryStore;
import dev.outbox.internal.store.OperationLogStore;
import dev.outbox.internal.store.OperationStore;
import dev.outbox.internal.store.OperationStore.Action;
import dev.outbox.internal.store.OperationStore.Result;
import dev.outbox.internal.store.OriginStore;
import dev.outbox.internal.store.OutboxSchema;
import dev.outbox.internal.store.PauseStore;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Implements the operations on the outbox tables and logs each change. */
public final class JdbcOperations implements OutboxOperations {

    private static final Logger log = LoggerFactory.getLogger(JdbcOperations.class);

    private static final int BATCH_SIZE = 500;

    private final DeliveryQueryStore deliveries;
    private final OperationStore changes;
    private final OperationLogStore records;
    private final PauseStore pauses;
    private final HandlerExpiry expiry;
    private final OriginStore origins;
    private final Consumer<String> wake;

    public JdbcOperations(DataSource dataSource, OutboxSchema schema, Consumer<String> wake) {
        this.deliveries = new DeliveryQueryStore(dataSource, schema);
        this.changes = new OperationStore(dataSource, schema);
        this.records = new OperationLogStore(dataSource, schema);
        this.pauses = new PauseStore(dataSource, schema);
        this.expiry = new HandlerExpiry(new HandlerExpiryStore(dataSource, schema));
        this.origins = new OriginStore(dataSource, schema);
        this.wake = wake;
    }

    @Override
    public List<Delivery> find(DeliverySelection selection, int limit) {
        OperationRules.check(selection);
        OperationRules.check(limit);
        return DatabaseCall.select("find deliveries", selection, () -> deliveries.find(selection, limit));
    }

    @Override
    public long count(DeliverySelection selection) {
        OperationRules.check(selection);
        return DatabaseCall.select("count deliveries", selection, () -> deliveries.count(selection));
    }

    @Override
    public Retried retry(DeliverySelection selection, String by, String reason) {
        AuditInfo audit = OperationRules.check(selection, by, reason);
        Result result =
                DatabaseCall.select("retry deliveries", selection, () -> change(Action.RETRY, selection, audit));
        log.info("{} deliveries retried by {}, {} busy", result.affected(), by, result.busy());
        return new Retried(result.affected(), result.busy());
    }

    @Override
    public Skipped skip(DeliverySelection selection, String by, String reason) {
        AuditInfo audit = OperationRules.check(selection, by, reason);
        Result result = DatabaseCall.select("skip deliveries", selection, () -> change(Action.SKIP, selection, audit));
        log.info("{} deliveries skipped by {}, {} busy", result.affected(), by, result.busy());
        return new Skipped(result.affected(), result.busy());
    }

    /** Changes the deliveries that exist now, oldest event first, with one transaction for each batch. */
    private Result change(Action action, DeliverySelection selection, AuditInfo audit) throws SQLException {
        long newest = deliveries.newest();
        Result result = Result.NONE;
        DeliverySelection rest = selection;
        List<DeliveryRef> batch;
        do {
            batch = deliveries.find(rest, action, newest, BATCH_SIZE);
            if (!batch.isEmpty()) {
                result = result.plus(changes.change(action, audit, batch));
                batch.stream().map(DeliveryRef::stream).distinct().forEach(wake);
                DeliveryRef last = batch.get(batch.size() - 1);
                rest = rest.after(last.key().outboxId(), last.key().handlerId());
            }
        } while (batch.size() == BATCH_SIZE);
        return result;
    }

    @Override
    public boolean pauseHandler(String handlerId, String by, String reason) {
        AuditInfo audit = OperationRules.check("handler id", handlerId, by, reason);
        return DatabaseCall.run("pause a handler", () -> setHandler(handlerId, true, false, audit));
    }

    @Override
    public boolean pauseNewHandler(String handlerId, String by, String reason) {
        AuditInfo audit = OperationRules.check("handler id", handlerId, by, reason);
        return DatabaseCall.run("pause a new handler", () -> setHandler(handlerId, true, true, audit));
    }

    @Override
    public boolean resumeHandler(String handlerId, String by, String reason) {
        AuditInfo audit = OperationRules.check("handler id", handlerId, by, reason);
        return DatabaseCall.run("resume a handler", () -> setHandler(handlerId, false, false, audit));
    }

    private boolean setHandler(String handlerId, boolean paused, boolean add, AuditInfo audit) throws SQLException {
        PauseStore.Result result = pauses.setHandler(handlerId, paused, add, audit)
                .orElseThrow(() -> new InvalidOperationException(
                        Reason.UNKNOWN_HANDLER, "no instance has registered a handler '" + handlerId + "'", null));
        return finish("handler " + handlerId, paused, audit, result);
    }

    @Override
    public boolean expireHandler(String handlerId, String actor, String reason) {
        AuditInfo audit = OperationRules.check("handler id", handlerId, actor, reason);
        return DatabaseCall.run("expire a handler", () -> expiry.expire(handlerId, audit));
    }

    @Override
    public boolean pauseStream(String stream, String by, String reason) {
        AuditInfo audit = OperationRules.check("stream", stream, by, reason);
        return DatabaseCall.run("pause a stream", () -> setStream(stream, true, audit));
    }

    @Override
    public boolean resumeStream(String stream, String by, String reason) {
        AuditInfo audit = OperationRules.check("stream", stream, by, reason);
        return DatabaseCall.run("resume a stream", () -> setStream(stream, false, audit));
    }

    private boolean setStream(String stream, boolean paused, AuditInfo audit) throws SQLException {
        PauseStore.Result result = pauses.setStream(stream, paused, audit)
                .orElseThrow(() -> new InvalidOperationException("no instance has polled a stream '" + stream + "'"));
        return finish("stream " + stream, paused, audit, result);
    }

    private boolean finish(String subject, boolean paused, AuditInfo audit, PauseStore.Result result) {
        if (result.changed()) {
            log.info("{} {} by {}", subject, paused ? "paused" : "resumed", audit.actor());
            if (!paused) {
                result.streams().forEach(wake);
            }
        }
        return result.changed();
    }

    @Override
    public boolean changeOrigin(String aggregateType, String from, String to, String actor, String reason) {
        OperationRules.check("aggregate type", aggregateType, actor, reason);
        OperationRules.check("the present origin", from, actor, reason);
        OperationRules.check("the new origin", to, actor, reason);
        String change = "aggregate type '" + aggregateType + "' from " + from + " to " + to;
        AuditInfo audit = new AuditInfo(actor, change + ": " + reason);
        OriginStore.Result result = DatabaseCall.run(
                        "change the origin of an aggregate type", () -> origins.change(aggregateType, from, to, audit))
                .orElseThrow(() -> new InvalidOperationException(
                        "there are no events of the aggregate type '" + aggregateType + "'"));
        if (result.changed()) {
            log.info("origin of {} changed by {}", change, actor);
        } else if (!to.equals(result.owner())) {
            throw new InvalidOperationException("the events of the aggregate type '" + aggregateType + "' come from "
                    + (result.owner() == null ? "this service" : result.owner()) + ", not from " + from);
        }
        return result.changed();
    }

    @Override
    public List<Operation> operations(OperationSelection selection, int limit) {
        OperationRules.check(selection);
        OperationRules.check(limit);
        return DatabaseCall.run("find operations", () -> records.find(selection, limit));
    }
}
