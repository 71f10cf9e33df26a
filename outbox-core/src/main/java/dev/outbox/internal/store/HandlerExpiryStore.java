package dev.outbox.internal.store;

import dev.outbox.internal.fault.FaultPoint;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** Finds expired registrations, dead-letters the deliveries that wait for them, and deletes them. */
public final class HandlerExpiryStore {

    /** Relies on outbox_delivery_backlog: one look-up for each stream, status, handler and event type that has deliveries. */
    static final String BACKLOG = """
            WITH RECURSIVE backlog AS (
                (SELECT d.stream, d.status, d.handler_id, d.event_type
                   FROM {schema}.outbox_delivery d
                  ORDER BY d.stream, d.status, d.handler_id, d.event_type
                  LIMIT 1)
                 UNION ALL
                SELECT next.stream, next.status, next.handler_id, next.event_type
                  FROM backlog b
                 CROSS JOIN LATERAL (SELECT d.stream, d.status, d.handler_id, d.event_type
                                       FROM {schema}.outbox_delivery d
                                      WHERE (d.stream, d.status, d.handler_id, d.event_type)
                                            > (b.stream, b.status, b.handler_id, b.event_type)
                                      ORDER BY d.stream, d.status, d.handler_id, d.event_type
                                      LIMIT 1) next
            )
            """;

    /** Whether an instance has registered the handler and event type of {@code x}, under any id of the handler. */
    private static final String REGISTERED = """
            EXISTS (SELECT
                                     FROM {schema}.outbox_handler live
                                     JOIN {schema}.outbox_subscription s ON s.handler_id = live.id
                                    WHERE (live.id = x.handler_id OR x.handler_id = ANY (live.aliases))
                                      AND s.event_type IN (x.event_type, '*')
                                      AND s.last_seen_at >= {latest} - :expiry_millis * interval '1 millisecond')
            """.replace("{latest}", HandlerStore.LATEST_HEARTBEAT);

    /**
     * Relies on outbox_delivery_backlog and outbox_operation_handler, and reads the registry. A delivery that an operator retried after
     * its subscription was deleted expires by its own age. One that was stored within an hour after a command expired its handler, from
     * a batch that was claimed before, expires at once.
     */
    static final String EXPIRED = BACKLOG + """
            SELECT d.outbox_id, d.handler_id, d.stream, d.aggregate_type, d.aggregate_id
              FROM backlog x
             CROSS JOIN LATERAL (SELECT d.outbox_id, d.handler_id, d.stream, d.aggregate_type, d.aggregate_id
                                   FROM {schema}.outbox_delivery d
                                  WHERE d.stream = x.stream
                                    AND d.status = x.status
                                    AND d.handler_id = x.handler_id
                                    AND d.event_type = x.event_type
                                    AND (d.locked_until IS NULL OR d.locked_until < now())
                                    AND (EXISTS (SELECT
                                                   FROM {schema}.outbox_subscription s
                                                  WHERE s.handler_id = x.handler_id
                                                    AND s.event_type IN (x.event_type, '*'))
                                         OR d.created_at < now() - :expiry_millis * interval '1 millisecond'
                                         OR EXISTS (SELECT
                                                      FROM {schema}.outbox_operation p
                                                     WHERE p.handler_id = x.handler_id
                                                       AND p.action = 'EXPIRE_HANDLER'
                                                       AND p.performed_at BETWEEN d.created_at - interval '1 hour' AND d.created_at))
                                  LIMIT :limit) d
             WHERE x.status <> 'DEAD'
               AND NOT {registered}
             LIMIT :limit
            """.replace("{registered}", REGISTERED);

    /** Reads the registry; relies on outbox_delivery_backlog. A delivery keeps its subscription. */
    static final String DELETE_SUBSCRIPTIONS = BACKLOG + """
            DELETE FROM {schema}.outbox_subscription s
             WHERE s.last_seen_at < {latest} - :expiry_millis * interval '1 millisecond'
               AND NOT EXISTS (SELECT
                                 FROM backlog b
                                WHERE b.status <> 'DEAD'
                                  AND b.handler_id = s.handler_id
                                  AND (b.event_type = s.event_type OR s.event_type = '*'))
            """.replace("{latest}", HandlerStore.LATEST_HEARTBEAT);

    /** Reads the registry; relies on outbox_delivery_backlog and outbox_replay_unfinished. A paused handler stays paused. */
    static final String DELETE_HANDLERS = BACKLOG + """
            DELETE FROM {schema}.outbox_handler h
             WHERE h.last_seen_at < {latest} - :expiry_millis * interval '1 millisecond'
               AND NOT h.paused
               AND NOT EXISTS (SELECT FROM {schema}.outbox_subscription s WHERE s.handler_id = h.id)
               AND NOT EXISTS (SELECT FROM backlog b WHERE b.handler_id = h.id)
               AND NOT EXISTS (SELECT
                                 FROM {schema}.outbox_replay r
                                WHERE r.handler_id = h.id
                                  AND r.finished_at IS NULL)
            """.replace("{latest}", HandlerStore.LATEST_HEARTBEAT);

    /** Before the subscriptions, as a registration does: the opposite order would deadlock with it. */
    private static final String LOCK_HANDLERS = """
            LOCK TABLE {schema}.outbox_handler IN ROW EXCLUSIVE MODE
            """;

    /** Relies on outbox_delivery_pk, and reads the registry: an instance may have registered the handler meanwhile. */
    static final String DEAD_LETTER = """
            WITH expired AS (
                UPDATE {schema}.outbox_delivery d
                   SET status = 'DEAD',
                       head = false,
                       next_retry_at = NULL,
                       locked_by = NULL,
                       lock_token = NULL,
                       locked_until = NULL,
                       last_error_code = 'HANDLER_EXPIRED',
                       last_error = {message},
                       failures = {failures}
                  FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
                 WHERE d.outbox_id = k.outbox_id
                   AND d.handler_id = k.handler_id
                   AND d.status <> 'DEAD'
                   AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp())
                   AND NOT {registered}
                RETURNING d.handler_id
            )
            SELECT handler_id, count(*)
              FROM expired
             GROUP BY handler_id
            """.replace(
                    "{failures}", FailureHistory.appended("d.attempt_count", "'HANDLER_EXPIRED'", "{message}"))
            .replace("{message}", "'the registration of the handler for this event type has expired'")
            .replace("{registered}", REGISTERED.replace("x.", "d."));

    private final DataSource dataSource;
    private final Pipeline expired;
    private final Pipeline deadLetter;
    private final Pipeline delete;

    public HandlerExpiryStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.expired = new Pipeline(schema, EXPIRED);
        this.deadLetter = new Pipeline(
                schema, LaneSql.LOCK_EVENTS, LaneSql.LOCK_LANES, DEAD_LETTER, LaneSql.PROMOTE, LaneSql.COMPLETE);
        this.delete = new Pipeline(schema, LOCK_HANDLERS, DELETE_SUBSCRIPTIONS, DELETE_HANDLERS);
    }

    /** Dead-letters one batch of deliveries whose registration has expired, and returns how many of each handler. */
    public Map<String, Long> deadLetter(Duration unseenFor, int batchSize) throws SQLException {
        List<DeliveryRef> found = find(unseenFor, batchSize);
        if (found.isEmpty()) {
            return Map.of();
        }
        FaultPoint.INSIDE_HANDLER_EXPIRY.reached();
        return deadLetter.run(
                dataSource,
                (parameters) -> {
                    DeliveryRef.bind(parameters, found);
                    parameters.set("expiry_millis", unseenFor.toMillis());
                },
                (results) -> {
                    results.skip(2);
                    Map<String, Long> dead = new TreeMap<>();
                    ResultSet row = results.rows();
                    while (row.next()) {
                        dead.put(row.getString(1), row.getLong(2));
                    }
                    return dead;
                });
    }

    /** Deletes expired registrations; a handler that is paused, has dead deliveries or is replayed to stays. */
    public void deleteExpired(Duration unseenFor) throws SQLException {
        delete.run(dataSource, (parameters) -> parameters.set("expiry_millis", unseenFor.toMillis()), (results) -> {
            results.skip(3);
            return true;
        });
    }

    private List<DeliveryRef> find(Duration unseenFor, int limit) throws SQLException {
        return expired.run(
                dataSource,
                (parameters) ->
                        parameters.set("expiry_millis", unseenFor.toMillis()).set("limit", limit),
                (results) -> DeliveryRef.read(results.rows()));
    }
}
