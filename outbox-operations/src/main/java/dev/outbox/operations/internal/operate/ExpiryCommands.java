package dev.outbox.operations.internal.operate;

import dev.outbox.internal.absence.Absent;
import dev.outbox.internal.absence.Expired;
import dev.outbox.internal.absence.HandlerExpiry;
import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.OutboxOperations.Untaken;
import dev.outbox.operations.OutboxOperations.Untaken.Problem;
import dev.outbox.operations.internal.inspect.DeliveryRow;
import java.sql.SQLException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Expires registrations by command, and refuses what a running instance has. */
final class ExpiryCommands {

    private static final Logger log = LoggerFactory.getLogger(ExpiryCommands.class);

    private final HandlerExpiry expiry;

    ExpiryCommands(HandlerExpiry expiry) {
        this.expiry = expiry;
    }

    List<Untaken> untaken() throws SQLException {
        return expiry.untaken().stream().map(ExpiryCommands::untaken).toList();
    }

    private static Untaken untaken(Absent one) {
        return new Untaken(
                one.id(),
                Problem.valueOf(one.problem().name()),
                one.kind().eventType(),
                one.kind().stream(),
                DeliveryRow.count(one.waiting()),
                DeliveryRow.count(one.behind()),
                one.problem() == Absent.Problem.ABSENT ? one.lastSeen() : one.lastTaken(),
                one.takenTypes());
    }

    /** Expires the registration of a handler, and returns whether it had not expired before. */
    boolean expire(String handlerId, AuditInfo audit) throws SQLException {
        Expired expired = expiry.expire(handlerId, audit);
        if (expired.instance() != null) {
            throw new InvalidOperationException(
                    Reason.HANDLER_PRESENT,
                    "instance " + expired.instance() + " has handler '" + handlerId
                            + "', or a handler with this id as an alias; stop every instance that has it, or pause the handler",
                    null);
        }
        if (expired.successor() != null) {
            throw new InvalidOperationException(
                    Reason.HANDLER_RENAMED,
                    "handler '" + expired.successor() + "' has '" + handlerId
                            + "' as an alias and takes its deliveries; if it was removed too, expire '"
                            + expired.successor() + "' first",
                    null);
        }
        if (!expired.known()) {
            throw unknown(handlerId);
        }
        if (expired.changed() || expired.dead() > 0) {
            log.info("handler {} expired by {}, {} deliveries dead-lettered", handlerId, audit.actor(), expired.dead());
        }
        return expired.changed();
    }

    /** Expires the subscriptions of a handler to an event type, and returns whether any had not expired before. */
    boolean expireSubscription(String handlerId, String eventType, AuditInfo audit) throws SQLException {
        Expired.OfSubscription expired = expiry.expireSubscription(handlerId, eventType, audit);
        if (!expired.known()) {
            throw unknown(handlerId);
        }
        if (expired.renewed() && !expired.changed()) {
            throw new InvalidOperationException(
                    Reason.SUBSCRIPTION_PRESENT,
                    "a running instance takes " + eventType + " in handler '" + handlerId
                            + "', or did less than 2 minutes ago; stop every instance whose version takes it, and repeat the call",
                    null);
        }
        if (expired.changed() || expired.dead() > 0) {
            log.info(
                    "subscription of handler {} to {} expired by {}, {} deliveries dead-lettered",
                    handlerId,
                    eventType,
                    audit.actor(),
                    expired.dead());
        }
        return expired.changed();
    }

    private static InvalidOperationException unknown(String handlerId) {
        return new InvalidOperationException(
                Reason.UNKNOWN_HANDLER,
                "no instance has registered a handler '" + handlerId
                        + "'; compare it with the handlers of the overview",
                null);
    }
}
