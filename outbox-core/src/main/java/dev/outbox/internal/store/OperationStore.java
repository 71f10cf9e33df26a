package dev.outbox.internal.store;

import dev.outbox.internal.delivery.AuditInfo;
import dev.outbox.operations.OutboxOperations.Changed;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/** Retries and skips deliveries, and records who asked for it and why in the same durable transaction. */
public final class OperationStore {

    /** What an operator does to a delivery. */
    public enum Action {
        /** Forgets its failures and puts it back into its lane. */
        RETRY,
        /** Removes it. */
        SKIP
    }

    /** Whether an action would change a delivery {@code d}: a retry has something to forget. */
    static final String CHANGES = """
            (:action = 'SKIP' OR d.status = 'DEAD' OR d.retry_count > 0 OR d.crash_count > 0
                        OR d.next_retry_at > clock_timestamp() OR d.locked_until < clock_timestamp())""";

    /** Relies on outbox_delivery_pk and on the primary keys of both partitions: the event may be in history. */
    private static final String CHOOSE = """
            WITH held AS (
                SELECT d.outbox_id, d.handler_id, d.status, d.last_error_code, d.last_error,
                       d.locked_until IS NOT NULL AND d.locked_until >= clock_timestamp() AS attempted,
                       {changes} AS changes
                  FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
                  JOIN {schema}.outbox_delivery d ON d.outbox_id = k.outbox_id AND d.handler_id = k.handler_id
                 ORDER BY d.outbox_id, d.handler_id
                   FOR UPDATE OF d SKIP LOCKED
            ), chosen AS (
                SELECT held.outbox_id, held.handler_id, held.status, held.last_error_code, held.last_error
                  FROM held
                 WHERE held.changes
                   AND NOT held.attempted
            ), recorded AS (
                INSERT INTO {schema}.outbox_operation
                       (performed_by, action, reason, stream, handler_id, event_id, previous_status, last_error_code, last_error)
                SELECT :actor, :action, :reason, o.stream, c.handler_id, o.event_id, c.status, c.last_error_code, c.last_error
                  FROM chosen c
                 CROSS JOIN LATERAL (SELECT * FROM {schema}.outbox o WHERE o.id = c.outbox_id LIMIT 1) o
                 ORDER BY c.outbox_id, c.handler_id
            )
            """.replace("{changes}", CHANGES);

    /** Busy is what another transaction holds locked, and what a worker attempts. The rest was changed by another one meanwhile. */
    private static final String CHANGED_AND_BUSY = """
            )
            SELECT (SELECT count(*) FROM chosen),
                   (SELECT count(d.outbox_id)
                      FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
                     CROSS JOIN LATERAL (SELECT d.outbox_id
                                           FROM {schema}.outbox_delivery d
                                          WHERE d.outbox_id = k.outbox_id
                                            AND d.handler_id = k.handler_id
                                          LIMIT 1) d)
                   - (SELECT count(*) FROM held WHERE NOT held.attempted)
            """;

    /**
     * Relies on outbox_unpublished_pk and outbox_delivery_pk. All wait until the lowest of each lane is promoted. The attempt count is
     * kept.
     */
    static final String RETRY = CHOOSE + """
            , event AS (
                UPDATE {schema}.outbox_unpublished o
                   SET status = 'RETRYING',
                       attempt_count = 0,
                       retry_count = 0
                 WHERE o.id = ANY (ARRAY(SELECT chosen.outbox_id FROM chosen))
            ), delivery AS (
                UPDATE {schema}.outbox_delivery d
                   SET status = 'WAITING',
                       head = false,
                       next_retry_at = NULL,
                       report_at = 'epoch',
                       retry_count = 0,
                       crash_count = 0,
                       locked_by = NULL,
                       lock_token = NULL,
                       locked_until = NULL
                  FROM chosen
                 WHERE d.outbox_id = chosen.outbox_id
                   AND d.handler_id = chosen.handler_id
            """ + CHANGED_AND_BUSY;

    /** Relies on outbox_unpublished_pk and outbox_delivery_pk. {@link LaneSql#COMPLETE} decides about the status of the event. */
    static final String SKIP = CHOOSE + """
            , event AS (
                UPDATE {schema}.outbox_unpublished o
                   SET status = 'RETRYING'
                 WHERE o.id = ANY (ARRAY(SELECT chosen.outbox_id FROM chosen))
                   AND o.status = 'DEAD'
            ), delivery AS (
                DELETE FROM {schema}.outbox_delivery d
                 USING chosen
                 WHERE d.outbox_id = chosen.outbox_id
                   AND d.handler_id = chosen.handler_id
            """ + CHANGED_AND_BUSY;

    private static final String LOCK_TIMEOUT = "SELECT set_config('lock_timeout', :lock_timeout, true)";

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Duration SHORT_WAIT = Duration.ofMillis(100);

    /** The lock timeout, or a deadlock. */
    private static final Set<String> LOCKED = Set.of("55P03", "40P01");

    private final DataSource dataSource;
    private final Pipeline retry;
    private final Pipeline skip;

    public OperationStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.retry = Pipeline.durable(
                schema,
                LONGEST_WAIT,
                LOCK_TIMEOUT,
                LaneSql.LOCK_EVENTS,
                LaneSql.LOCK_LANES,
                RETRY,
                LaneSql.DEMOTE_HEAD,
                LaneSql.PROMOTE,
                LaneSql.COMPLETE);
        this.skip = Pipeline.durable(
                schema,
                LONGEST_WAIT,
                LOCK_TIMEOUT,
                LaneSql.LOCK_EVENTS,
                LaneSql.LOCK_LANES,
                SKIP,
                LaneSql.PROMOTE,
                LaneSql.COMPLETE);
    }

    /** Changes deliveries, and leaves alone what a worker attempts or another transaction holds locked. */
    public Changed change(Action action, AuditInfo audit, List<DeliveryRef> batch) throws SQLException {
        Optional<Changed> whole = attempt(action, audit, batch, LONGEST_WAIT);
        if (whole.isPresent()) {
            return whole.get();
        }
        int affected = 0;
        int busy = 0;
        for (DeliveryRef delivery : batch) {
            Changed one = attempt(action, audit, List.of(delivery), SHORT_WAIT).orElse(new Changed(0, 1));
            affected += one.affected();
            busy += one.busy();
        }
        return new Changed(affected, busy);
    }

    /** Returns empty if a lock was not free in time, and then nothing has changed. */
    private Optional<Changed> attempt(Action action, AuditInfo audit, List<DeliveryRef> batch, Duration wait)
            throws SQLException {
        try {
            return Optional.of((action == Action.RETRY ? retry : skip)
                    .run(
                            dataSource,
                            (parameters) -> DeliveryRef.bind(parameters, batch)
                                    .set("lock_timeout", wait.toMillis() + "ms")
                                    .set("action", action.name())
                                    .set("actor", audit.actor())
                                    .set("reason", audit.reason()),
                            OperationStore::read));
        } catch (SQLException ex) {
            if (LOCKED.contains(String.valueOf(ex.getSQLState()))) {
                return Optional.empty();
            }
            throw ex;
        }
    }

    private static Changed read(Pipeline.Results results) throws SQLException {
        results.skip(3);
        ResultSet row = results.rows();
        row.next();
        return new Changed(row.getInt(1), row.getInt(2));
    }
}
