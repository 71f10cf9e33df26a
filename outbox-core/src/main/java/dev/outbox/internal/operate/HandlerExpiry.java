package dev.outbox.internal.operate;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Dead-letters the deliveries of handler registrations that expire, by age or by command, and deletes these. */
public final class HandlerExpiry {

    private static final Logger log = LoggerFactory.getLogger(HandlerExpiry.class);

    private static final int BATCH_SIZE = 500;

    /** Only registrations that an operator expired are that old. */
    private static final Duration BY_COMMAND = Duration.ofDays(365_000);

    private final HandlerExpiryStore store;

    public HandlerExpiry(HandlerExpiryStore store) {
        this.store = store;
    }

    /** Ends the registrations that no instance has renewed for a time, and what a crash has left of those that operators expired. */
    public void runOnce() throws SQLException {
        end(
                HandlerStore.EXPIRE_AFTER,
                (handlerId, count) -> log.error(
                        "Dead-lettered {} deliveries of handler '{}', whose registration has expired: no running instance has had the"
                                + " handler for {} h, or an operator expired it; retry or skip them",
                        count,
                        handlerId,
                        HandlerStore.EXPIRE_AFTER.toHours()));
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
        end(BY_COMMAND, (id, count) -> dead.add(id.equals(handlerId) ? count : 0));
        if (result.changed()) {
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
