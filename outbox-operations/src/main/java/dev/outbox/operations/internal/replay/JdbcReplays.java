package dev.outbox.operations.internal.replay;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.RegisteredHandler;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.Count;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.Replay;
import dev.outbox.operations.Replay.Kind;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.operations.internal.inspect.OperatorRequest;
import dev.outbox.operations.internal.operate.JdbcOperations;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Implements replays and bulks on the outbox tables; the feeder does their work. */
public final class JdbcReplays implements Replays {

    private static final Logger log = LoggerFactory.getLogger(JdbcReplays.class);

    private static final int LISTED = 100;

    final ReplayStore store;
    final HandlerRegistry registry;
    final JdbcOperations operations;
    private final Runnable wake;

    public JdbcReplays(
            DataSource dataSource,
            OutboxSchema schema,
            HandlerRegistry registry,
            JdbcOperations operations,
            Runnable wake) {
        this.store = new ReplayStore(dataSource, schema);
        this.registry = registry;
        this.operations = operations;
        this.wake = wake;
    }

    @Override
    public long start(ReplayRequest request, String by, String reason) {
        AuditInfo audit = OperatorRequest.check(by, reason);
        return OperatorRequest.run("start a replay", () -> {
            RegisteredHandler handler = handler(request);
            return start(Kind.REPLAY, request, null, null, handler.id(), audit);
        });
    }

    @Override
    public long retry(DeliverySelection selection, int rate, String by, String reason) {
        return start(Kind.RETRY, selection, rate, by, reason);
    }

    @Override
    public long skip(DeliverySelection selection, int rate, String by, String reason) {
        return start(Kind.SKIP, selection, rate, by, reason);
    }

    private long start(Kind kind, DeliverySelection selection, int rate, String by, String reason) {
        AuditInfo audit = OperatorRequest.check(by, reason);
        String handlerId = selection.handlerId();
        if (handlerId == null) {
            throw new InvalidOperationException("work in the background needs a selection with a handler");
        }
        ReplayRequest request = ReplayRequest.of(handlerId).rate(rate);
        return OperatorRequest.run("start a retry or skip", () -> {
            Long total = operations.countChangeable(kind, selection);
            return start(kind, request, selection, total, handlerId, audit);
        });
    }

    private long start(
            Kind kind,
            ReplayRequest request,
            @Nullable DeliverySelection deliveries,
            @Nullable Long total,
            String handlerId,
            AuditInfo audit)
            throws SQLException {
        long id = store.insert(kind, request, deliveries, total, handlerId, audit)
                .orElseThrow(() -> new InvalidOperationException(
                        "the event " + request.eventId() + " does not exist, or is archived"));
        log.info("Replay {} ({}) to {} started by {}", id, kind, handlerId, audit.actor());
        wake.run();
        return id;
    }

    @Override
    public Count countEvents(ReplayRequest request) {
        return OperatorRequest.run("count the events of a replay", () -> store.count(request, handler(request)));
    }

    private RegisteredHandler handler(ReplayRequest request) throws SQLException {
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
        return handler;
    }

    @Override
    public Optional<Replay> find(long id) {
        return OperatorRequest.run(
                "find a replay", () -> store.list(id, 1).stream().findFirst());
    }

    @Override
    public List<Replay> list() {
        return OperatorRequest.run("list replays", () -> store.list(null, LISTED));
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
