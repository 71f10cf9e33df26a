package dev.outbox.chaos.matrix;

import dev.outbox.internal.fault.FaultPoint;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Work that makes a process reach a fault point again and again. */
enum Scenario {
    /** Waits, and takes over from the process that fails. */
    SURVIVE,
    /** Publishes and handles; every other event fails once. */
    FLOW,
    /** Handlers take so long that leases are confirmed and renewed. */
    SLOW,
    /** Starts and closes the outbox while handlers run. */
    RESTART,
    /** Archives, deletes and skips what is old, and keeps the rest. */
    RETENTION,
    /** Erases an aggregate without delivery and another one after delivery, in all places, and leaves two alone. */
    ERASURE,
    /** Replays everything to one handler. */
    REPLAY,
    /** Lets the registration of a handler expire for which deliveries wait. */
    EXPIRY,
    /** Creates the tables in new schemas. */
    MIGRATION,
    /** Another session locks an event while its handler runs. */
    CONTENTION,
    /** Another session locks an event while it is attempted again. */
    LOCKED_REDELIVERY,
    /** PostgreSQL refuses to store some outcomes. */
    REFUSAL;

    /** Returns what breaks the rules of the scenario, which only its SQL knows. */
    List<String> broken(JdbcClient sql) {
        return switch (this) {
            case RETENTION ->
                sql.sql("SELECT what FROM chaos.broken_retention")
                        .query(String.class)
                        .list();
            case ERASURE ->
                sql.sql("SELECT what FROM chaos.broken_erasure")
                        .query(String.class)
                        .list();
            default -> List.of();
        };
    }

    /** Returns the scenario that reaches a point. */
    static Scenario reaching(FaultPoint point) {
        return switch (point) {
            case BEFORE_INSERT,
                    AFTER_COUNTER_LOCK,
                    AFTER_INSERT,
                    BEFORE_COMMIT,
                    AFTER_COMMIT,
                    BEFORE_NOTIFICATION,
                    BEFORE_MOVE,
                    AFTER_MOVE,
                    BEFORE_CLAIM,
                    AFTER_CLAIM,
                    BEFORE_DISPATCH,
                    BEFORE_HANDLER,
                    AFTER_HANDLER,
                    BEFORE_DEDUPLICATION,
                    AFTER_DEDUPLICATION,
                    BEFORE_HANDLER_COMMIT,
                    AFTER_HANDLER_COMMIT,
                    BEFORE_SETTLE,
                    AFTER_SETTLE,
                    BEFORE_REDELIVERY_CLAIM,
                    AFTER_REDELIVERY_CLAIM,
                    BEFORE_REDELIVERY_SETTLE,
                    AFTER_REDELIVERY_SETTLE -> FLOW;
            case BEFORE_RENEWAL, AFTER_RENEWAL, BEFORE_CONFIRMATION, AFTER_CONFIRMATION -> SLOW;
            case BEFORE_REGISTRATION,
                    AFTER_REGISTRATION,
                    BEFORE_HEARTBEAT,
                    AFTER_HEARTBEAT,
                    BEFORE_REGISTRY_RESTORE,
                    AFTER_REGISTRY_RESTORE,
                    BEFORE_REGISTRY_LOAD,
                    AFTER_REGISTRY_LOAD,
                    BEFORE_RELEASE,
                    BETWEEN_RELEASES,
                    AFTER_RELEASE -> RESTART;
            case BEFORE_RETENTION, AFTER_RETENTION -> RETENTION;
            case BEFORE_ERASURE, AFTER_ERASURE -> ERASURE;
            case BEFORE_REPLAY_PAGE, AFTER_REPLAY_PAGE -> REPLAY;
            case BEFORE_HANDLER_EXPIRY,
                    INSIDE_HANDLER_EXPIRY,
                    BEFORE_REGISTRATION_REMOVAL,
                    AFTER_REGISTRATION_REMOVAL -> EXPIRY;
            case BEFORE_MIGRATION, AFTER_MIGRATION -> MIGRATION;
            case BEFORE_LOCKED_SETTLE -> CONTENTION;
            case BETWEEN_REDELIVERY_SETTLES -> LOCKED_REDELIVERY;
            case BETWEEN_ISOLATED_SETTLES -> REFUSAL;
        };
    }
}
