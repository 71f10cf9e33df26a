package dev.outbox.internal.fault;

import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * A step of the outbox at which a crash, a suspension or a lost connection may leave work half done. Without a {@link Hook}, reaching
 * a step compares a constant with {@code null}, which compiled code leaves out.
 */
public enum FaultPoint {
    /** The publisher is about to store events in the caller's transaction. */
    BEFORE_INSERT,
    /** The publisher has locked the counters of its aggregates, and is about to number events. */
    AFTER_COUNTER_LOCK,
    /** The publisher has stored events; the transaction is open. */
    AFTER_INSERT,
    /** The caller's transaction is about to commit. */
    BEFORE_COMMIT,
    /** The caller's transaction has committed; no poller is awake yet. */
    AFTER_COMMIT,
    /** The notifier is about to wake the other processes. */
    BEFORE_NOTIFICATION,

    /** A mover is about to move scheduled events that are due. */
    BEFORE_MOVE,
    /** Scheduled events have moved to the queue; no poller is awake yet. */
    AFTER_MOVE,

    /** A poller is about to claim events. */
    BEFORE_CLAIM,
    /** A claim with events is committed; the poller holds no lease on it yet. */
    AFTER_CLAIM,
    /** A claimed batch is about to be dispatched. */
    BEFORE_DISPATCH,
    /** A handler is about to start. */
    BEFORE_HANDLER,
    /** A handler has succeeded; nothing is written yet. */
    AFTER_HANDLER,

    /** A deduplicating handler's transaction has begun. */
    BEFORE_DEDUPLICATION,
    /** The row of the deduplication inbox is inserted; the handler has not started. */
    AFTER_DEDUPLICATION,
    /** A deduplicating handler has returned; its transaction is open. */
    BEFORE_HANDLER_COMMIT,
    /** A deduplicating handler's transaction has committed. */
    AFTER_HANDLER_COMMIT,

    /** The outcomes of a batch are about to be written. */
    BEFORE_SETTLE,
    /** Another session holds rows of a batch locked; the other outcomes are about to be written. */
    BEFORE_LOCKED_SETTLE,
    /** One event of a refused batch is settled; the others are still to come. */
    BETWEEN_ISOLATED_SETTLES,
    /** The outcomes of a batch are committed; the poller does not know yet. */
    AFTER_SETTLE,

    /** A lease is about to be renewed. */
    BEFORE_RENEWAL,
    /** A lease is renewed; its holder does not know yet. */
    AFTER_RENEWAL,
    /** The database is about to be asked whether a lease holds. */
    BEFORE_CONFIRMATION,
    /** The database has confirmed a lease; its holder does not know yet. */
    AFTER_CONFIRMATION,

    /** Due deliveries are about to be claimed. */
    BEFORE_REDELIVERY_CLAIM,
    /** Due deliveries are claimed; no lease is held on them yet. */
    AFTER_REDELIVERY_CLAIM,
    /** The outcomes of redeliveries are about to be written. */
    BEFORE_REDELIVERY_SETTLE,
    /** One outcome of locked or refused redeliveries is written; the others are still to come. */
    BETWEEN_REDELIVERY_SETTLES,
    /** The outcomes of redeliveries are committed; the lanes do not know yet. */
    AFTER_REDELIVERY_SETTLE,

    /** The handlers of this process are about to be registered. */
    BEFORE_REGISTRATION,
    /** The handlers of this process are registered; the registry is not loaded yet. */
    AFTER_REGISTRATION,
    /** A heartbeat is about to be written. */
    BEFORE_HEARTBEAT,
    /** A heartbeat is written. */
    AFTER_HEARTBEAT,
    /** A process is about to write registrations again that the database may have lost. */
    BEFORE_REGISTRY_RESTORE,
    /** Lost registrations are written again; the registry is not loaded yet. */
    AFTER_REGISTRY_RESTORE,
    /** The registry is about to be read. */
    BEFORE_REGISTRY_LOAD,
    /** The registry is read; events are still routed as before. */
    AFTER_REGISTRY_LOAD,

    /** A step of retention is about to archive, delete or skip what is old enough. */
    BEFORE_RETENTION,
    /** A step of retention is done; the next one is still to come. */
    AFTER_RETENTION,

    /** One batch of an erasure is about to be cancelled, or withdrawn and erased. */
    BEFORE_ERASURE,
    /** One batch of an erasure is cancelled or erased; the others are still to come. */
    AFTER_ERASURE,

    /** The next page of a replay is about to be fed. */
    BEFORE_REPLAY_PAGE,
    /** A page of a replay is fed; no poller is awake yet. */
    AFTER_REPLAY_PAGE,

    /** Expired handler registrations are about to be looked for. */
    BEFORE_HANDLER_EXPIRY,
    /** Deliveries of expired handlers are found; they are not dead letters yet. */
    INSIDE_HANDLER_EXPIRY,
    /** The deliveries of expired handlers are dead letters; the registrations are still there. */
    BEFORE_REGISTRATION_REMOVAL,
    /** The registrations of expired handlers are removed. */
    AFTER_REGISTRATION_REMOVAL,

    /** The tables are about to be created or updated. */
    BEFORE_MIGRATION,
    /** The tables are up to date; they are not checked yet. */
    AFTER_MIGRATION,

    /** A closing poller is about to settle what is done and to release the rest. */
    BEFORE_RELEASE,
    /** A closing poller has released its claims, but not yet its redeliveries. */
    BETWEEN_RELEASES,
    /** A closing poller holds no claim any more. */
    AFTER_RELEASE;

    private static final @Nullable Hook HOOK = ServiceLoader.load(Hook.class, Hook.class.getClassLoader())
            .findFirst()
            .orElse(null);

    /** Receives every step that a process reaches. A test provides one to the {@link ServiceLoader}; production has none. */
    @FunctionalInterface
    public interface Hook {

        /** Notes that the calling thread has reached a step. The thread continues when the call returns. */
        void reached(FaultPoint point);
    }

    /** Lets a test fail the process here. Does nothing without a hook. */
    public void reached() {
        Hook hook = HOOK;
        if (hook != null) {
            hook.reached(this);
        }
    }
}
