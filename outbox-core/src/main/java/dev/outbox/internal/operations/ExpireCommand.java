package dev.outbox.internal.operations;

import dev.outbox.internal.delivery.AuditInfo;
import dev.outbox.internal.store.AbsentHandlerStore;
import dev.outbox.internal.store.HandlerExpiryStore;
import dev.outbox.internal.store.OutboxSchema;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Expires a handler's registration and dead-letters its deliveries. What a crash leaves undone, the instances' own expiry completes. */
final class ExpireCommand {

    private static final Logger log = LoggerFactory.getLogger(ExpireCommand.class);

    private static final int BATCH_SIZE = 500;

    /** Only registrations that were expired by command are that old. */
    private static final Duration AGE_OF_EXPIRED = Duration.ofDays(365_000);

    private final AbsentHandlerStore handlers;
    private final HandlerExpiryStore expiry;

    ExpireCommand(DataSource dataSource, OutboxSchema schema) {
        this.handlers = new AbsentHandlerStore(dataSource, schema);
        this.expiry = new HandlerExpiryStore(dataSource, schema);
    }

    /** Returns whether the registration had not expired before. */
    boolean run(String handlerId, AuditInfo audit) throws SQLException {
        AbsentHandlerStore.Result result = handlers.expire(handlerId, audit);
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
        long dead = 0;
        Map<String, Long> batch;
        do {
            batch = expiry.deadLetter(AGE_OF_EXPIRED, BATCH_SIZE);
            dead += batch.getOrDefault(handlerId, 0L);
        } while (!batch.isEmpty());
        expiry.deleteExpired(AGE_OF_EXPIRED);
        handlers.delete(handlerId);
        if (result.changed()) {
            log.info("handler {} expired by {}, {} deliveries dead-lettered", handlerId, audit.actor(), dead);
        }
        return result.changed();
    }
}
