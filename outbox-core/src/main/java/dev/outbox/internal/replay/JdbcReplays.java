package dev.outbox.internal.replay;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.audit.OperatorRequest;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.RegisteredHandler;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.Replay;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Implements the replays on the outbox tables; the feeder adds their deliveries. */
public final class JdbcReplays implements Replays {

    private static final Logger log = LoggerFactory.getLogger(JdbcReplays.class);

    private static final int LISTED = 100;

    final ReplayStore store;
    final HandlerRegistry registry;
    private final Runnable wake;

    public JdbcReplays(DataSource dataSource, OutboxSchema schema, HandlerRegistry registry, Runnable wake) {
        this.store = new ReplayStore(dataSource, schema);
        this.registry = registry;
        this.wake = wake;
    }

    @Override
    public long start(ReplayRequest request, String by, String reason) {
        AuditInfo audit = OperatorRequest.check(by, reason);
        return OperatorRequest.run("start a replay", () -> {
            RegisteredHandler handler = registry.resolve(request.handlerId())
                    .orElseThrow(() -> new InvalidOperationException(
                            Reason.UNKNOWN_HANDLER,
                            "no instance has registered a handler '" + request.handlerId() + "' in the last "
                                    + HandlerStore.EXPIRE_AFTER.toDays()
                                    + " days; start one that has it, or correct the id",
                            null));
            for (String type : request.eventTypes()) {
                if (!handler.isSubscribedTo(type)) {
                    throw new InvalidOperationException(
                            "handler '" + handler.id() + "' does not subscribe to events of type " + type);
                }
            }
            long id = store.insert(request, handler.id(), audit);
            log.info("Replay {} to {} started by {}", id, handler.id(), by);
            wake.run();
            return id;
        });
    }

    @Override
    public Optional<Replay> find(long id) {
        return OperatorRequest.run("find a replay", () -> store.find(id));
    }

    @Override
    public List<Replay> list() {
        return OperatorRequest.run("list replays", () -> store.list(LISTED));
    }

    @Override
    public boolean cancel(long id, String by) {
        OperatorRequest.checkOperator(by);
        return OperatorRequest.run("cancel a replay", () -> cancelNow(id, by));
    }

    /** Cancels a replay for an operator or for the feeder. */
    boolean cancelNow(long id, String actor) throws SQLException {
        boolean running = store.cancel(id, actor);
        if (running) {
            log.info("Replay {} cancelled by {}", id, actor);
        }
        return running;
    }
}
