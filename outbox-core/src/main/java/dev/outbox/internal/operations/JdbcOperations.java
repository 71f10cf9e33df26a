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
import dev.outbox.operations.OutboxOperations;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Implements the operations on the outbox tables and logs each change. */
public final class JdbcOperations implements OutboxOperations {

    private static final Logger log = LoggerFactory.getLogger(JdbcOperations.class);

    private final DeliveryQueryStore deliveries;
    private final OperationLogStore records;
    private final LaneOperations lanes;
    private final Pauses pauses;

    public JdbcOperations(DataSource dataSource, OutboxSchema schema, Consumer<String> wake) {
        this.deliveries = new DeliveryQueryStore(dataSource, schema);
        this.records = new OperationLogStore(dataSource, schema);
        this.lanes = new LaneOperations(
                new CandidateStore(dataSource, schema), new OperationStore(dataSource, schema), wake);
        this.pauses = new Pauses(new PauseStore(dataSource, schema), wake);
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

    @Override
    public Skipped skip(DeliverySelection selection, String by, String reason) {
        AuditInfo instruction = OperationRules.check(selection, by, reason);
        OperationStore.Done done =
                DatabaseCall.select("skip deliveries", selection, () -> lanes.skip(selection, instruction));
        log.info("{} deliveries skipped by {}, {} left alone because they are busy", done.affected(), by, done.busy());
        return new Skipped(done.affected(), done.busy());
    }

    @Override
    public boolean pauseHandler(String handlerId, String by, String reason) {
        AuditInfo instruction = OperationRules.check("handler id", handlerId, by, reason);
        return DatabaseCall.run("pause a handler", () -> pauses.setHandler(handlerId, true, instruction));
    }

    @Override
    public boolean pauseNewHandler(String handlerId, String by, String reason) {
        AuditInfo instruction = OperationRules.check("handler id", handlerId, by, reason);
        return DatabaseCall.run("pause a new handler", () -> pauses.pauseNewHandler(handlerId, instruction));
    }

    @Override
    public boolean resumeHandler(String handlerId, String by, String reason) {
        AuditInfo instruction = OperationRules.check("handler id", handlerId, by, reason);
        return DatabaseCall.run("resume a handler", () -> pauses.setHandler(handlerId, false, instruction));
    }

    @Override
    public boolean pauseStream(String stream, String by, String reason) {
        AuditInfo instruction = OperationRules.check("stream", stream, by, reason);
        return DatabaseCall.run("pause a stream", () -> pauses.setStream(stream, true, instruction));
    }

    @Override
    public boolean resumeStream(String stream, String by, String reason) {
        AuditInfo instruction = OperationRules.check("stream", stream, by, reason);
        return DatabaseCall.run("resume a stream", () -> pauses.setStream(stream, false, instruction));
    }

    @Override
    public List<Operation> operations(OperationSelection selection, int limit) {
        OperationRules.check(selection);
        OperationRules.check(limit);
        return DatabaseCall.run("find operations", () -> records.find(selection, limit));
    }
}
