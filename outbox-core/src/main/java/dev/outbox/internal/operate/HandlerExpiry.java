package dev.outbox.internal.operate;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.operate.HandlerExpiryStore.Absent;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.LocalHandlers;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports handlers that deliveries wait for in vain, dead-letters these when their registration expires, by age or by command, and deletes
 * it.
 */
public final class HandlerExpiry {

    private static final Logger log = LoggerFactory.getLogger(HandlerExpiry.class);

    private static final int BATCH_SIZE = 500;

    /** Only registrations that an operator expired are that old. */
    private static final Duration BY_COMMAND = Duration.ofDays(365_000);

    private final HandlerExpiryStore store;
    private Set<String> reported = Set.of();

    public HandlerExpiry(DataSource dataSource, OutboxSchema schema) {
        this.store = new HandlerExpiryStore(dataSource, schema);
    }

    /** Reports the handlers without an instance, once each, and returns whether there are any. For use by one thread at a time. */
    public boolean report(LocalHandlers own) throws SQLException {
        List<Absent> absent = store.absent();
        absent.stream()
                .filter((handler) -> !reported.contains(handler.id()))
                .forEach((handler) -> report(handler, own));
        reported = absent.stream().map(Absent::id).collect(Collectors.toSet());
        return !absent.isEmpty();
    }

    private static void report(Absent handler, LocalHandlers own) {
        String kinds =
                handler.kinds().stream().map(Subscription::eventType).distinct().collect(Collectors.joining(", "));
        String waiting = handler.waiting() + (handler.waiting() < HandlerExpiryStore.MOST_COUNTED ? "" : " or more");
        if (own.subscriptions().containsKey(handler.id())) {
            log.warn(
                    "No running instance handles {} in handler '{}' any more, and deliveries wait for it: {}. Subscribe it to these"
                            + " again, or skip the deliveries: OutboxOperations.skip",
                    kinds,
                    handler.id(),
                    waiting);
            return;
        }
        Instant lastSeen = handler.lastSeen();
        log.warn(
                "No running instance has handler '{}'{}, and deliveries of {} wait for it: {}. If it was renamed, add its former id to the"
                        + " new handler: @OutboxHandler(id = \"{}\", aliases = \"{}\"). If it was removed, expire it:"
                        + " OutboxOperations.expireHandler(\"{}\", actor, reason).{}",
                handler.id(),
                lastSeen == null ? "" : " (last heartbeat " + lastSeen + ")",
                kinds,
                waiting,
                successor(handler, own),
                handler.id(),
                handler.id(),
                lastSeen == null
                        ? ""
                        : " Otherwise its deliveries become dead letters from "
                                + lastSeen.plus(HandlerStore.EXPIRE_AFTER) + " on");
    }

    /** Returns the only handler of this instance that takes the events, or a placeholder. */
    private static String successor(Absent absent, LocalHandlers own) {
        List<String> candidates = own.subscriptions().entrySet().stream()
                .filter((handler) -> absent.kinds().stream()
                        .allMatch((kind) -> handler.getValue().stream().anyMatch((taken) -> taken.takes(kind))))
                .map(Map.Entry::getKey)
                .toList();
        return candidates.size() == 1 ? candidates.get(0) : "its new id";
    }

    /** Ends the registrations that no instance has renewed for a time, and what a crash has left of those that operators expired. */
    public void runOnce() throws SQLException {
        end(HandlerStore.EXPIRE_AFTER, HandlerExpiry::reportDead);
    }

    private static void reportDead(String handlerId, long count) {
        log.error(
                "Dead-lettered {} deliveries of handler '{}', whose registration has expired: no running instance has had the"
                        + " handler for {} h, or an operator expired it; retry or skip them",
                count,
                handlerId,
                HandlerStore.EXPIRE_AFTER.toHours());
    }

    /** Expires the registration of a handler whatever its age, and ends it. Returns whether it had not expired before. */
    boolean expire(String handlerId, AuditInfo audit) throws SQLException {
        HandlerExpiryStore.Result result = store.expire(handlerId, audit);
        if (result.instance() != null) {
            throw new InvalidOperationException(
                    Reason.HANDLER_PRESENT,
                    "instance " + result.instance() + " has handler '" + handlerId
                            + "', or a handler with this id as an alias; stop every instance that has it, or pause the handler",
                    null);
        }
        if (result.successor() != null) {
            throw new InvalidOperationException(
                    Reason.HANDLER_RENAMED,
                    "handler '" + result.successor() + "' has '" + handlerId
                            + "' as an alias and takes its deliveries; if it was removed too, expire '"
                            + result.successor() + "' first",
                    null);
        }
        if (!result.known()) {
            throw new InvalidOperationException(
                    Reason.UNKNOWN_HANDLER,
                    "no instance has registered a handler '" + handlerId
                            + "'; compare it with the handlers of the overview",
                    null);
        }
        LongAdder dead = new LongAdder();
        end(BY_COMMAND, (id, count) -> {
            if (id.equals(handlerId)) {
                dead.add(count);
            } else {
                reportDead(id, count);
            }
        });
        if (result.changed() || dead.sum() > 0) {
            log.info("handler {} expired by {}, {} deliveries dead-lettered", handlerId, audit.actor(), dead);
        }
        return result.changed();
    }

    private void end(Duration unseenFor, BiConsumer<String, Long> listener) throws SQLException {
        FaultPoint.BEFORE_HANDLER_EXPIRY.reached();
        Map<String, Long> dead = store.deadLetter(unseenFor, BATCH_SIZE);
        while (!dead.isEmpty()) {
            dead.forEach(listener);
            dead = store.deadLetter(unseenFor, BATCH_SIZE);
        }
        FaultPoint.BEFORE_REGISTRATION_REMOVAL.reached();
        store.deleteExpired(unseenFor);
        FaultPoint.AFTER_REGISTRATION_REMOVAL.reached();
    }
}
