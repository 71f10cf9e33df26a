package dev.outbox.internal.operations;

import dev.outbox.internal.delivery.AuditInfo;
import dev.outbox.internal.delivery.RegisteredHandler;
import dev.outbox.internal.dispatch.HandlerRegistry;
import dev.outbox.internal.store.ReplayRemovalStore;
import dev.outbox.internal.store.ReplayStore;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.Replay;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Implements the replays on the outbox tables; the feeder adds their deliveries. */
public final class JdbcReplays implements Replays {

    private static final Logger log = LoggerFactory.getLogger(JdbcReplays.class);

    private static final int REMOVED_AT_ONCE = 500;
    private static final int LISTED = 100;

    private final ReplayStore store;
    private final ReplayRemovalStore removals;
    private final HandlerRegistry registry;
    private final Runnable wake;

    public JdbcReplays(ReplayStore store, ReplayRemovalStore removals, HandlerRegistry registry, Runnable wake) {
        this.store = store;
        this.removals = removals;
        this.registry = registry;
        this.wake = wake;
    }

    @Override
    public long start(ReplayRequest request, String by, String reason) {
        OperationRules.check(request);
        AuditInfo instruction = OperationRules.check(by, reason);
        return DatabaseCall.run("start a replay", () -> {
            RegisteredHandler handler = registry.resolve(request.handlerId())
                    .orElseThrow(() -> new InvalidOperationException(
                            Reason.UNKNOWN_HANDLER,
                            "no process has registered a handler '"
                                    + request.handlerId() + "' in the last "
                                    + registry.expireAfter().toDays()
                                    + " days; start one that has it, or correct the id",
                            null));
            for (String type : request.selection().eventTypes()) {
                if (!handler.isSubscribedTo(type)) {
                    throw new InvalidOperationException(
                            "handler '" + handler.id() + "' does not want events of type " + type);
                }
            }
            ReplayRequest current = new ReplayRequest(handler.id(), request.selection(), request.rate());
            long id = store.insert(current, by, instruction.reason());
            log.info("replay {} to {} begins, asked for by {}", id, handler.id(), by);
            wake.run();
            return id;
        });
    }

    @Override
    public Optional<Replay> find(long id) {
        return DatabaseCall.run("find a replay", () -> store.find(id));
    }

    @Override
    public List<Replay> list() {
        return DatabaseCall.run("list replays", () -> store.list(LISTED));
    }

    @Override
    public boolean cancel(long id, String by) {
        OperationRules.checkName(by);
        return DatabaseCall.run("cancel a replay", () -> cancelNow(id, by));
    }

    public boolean cancelNow(long id, String by) throws SQLException {
        boolean running = store.cancel(id, by);
        if (running) {
            log.info("replay {} is cancelled by {}", id, by);
            takeBack(id);
        }
        return running;
    }

    /** Takes back what nobody has attempted, and ends the replay unless somebody is about to give something back. */
    public void takeBack(long id) throws SQLException {
        int removed;
        do {
            removed = removals.remove(id, REMOVED_AT_ONCE);
        } while (removed > 0);
        end(id);
    }

    /** Ends a replay if nothing is left to do. */
    public void end(long id) throws SQLException {
        if (!store.finish(id)) {
            return;
        }
        store.find(id).ifPresent((replay) -> {
            Replay.Progress progress = replay.progress();
            log.info(
                    "replay {} to {} is {}: {} deliveries added, {} delivered, {} dead, {} taken back",
                    id,
                    replay.request().handlerId(),
                    replay.status() == Replay.Status.DONE ? "done" : "over",
                    progress.fed(),
                    progress.delivered(),
                    progress.dead(),
                    progress.removed());
        });
    }
}
