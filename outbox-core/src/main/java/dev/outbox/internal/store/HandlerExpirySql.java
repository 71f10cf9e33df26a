package dev.outbox.internal.store;

/** The statements of {@link HandlerExpiryStore}. */
final class HandlerExpirySql {

    /** Relies on outbox_delivery_backlog: one look-up for each status, handler and event type of a stream that has deliveries. */
    private static final String BACKLOG = """
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

    /** Whether a process shows a handler, under any name, with an event type. */
    private static final String COVERED = """
            EXISTS (SELECT
                                     FROM {schema}.outbox_handler live
                                     JOIN {schema}.outbox_subscription wanted ON wanted.handler_id = live.id
                                    WHERE (live.id = {of}.handler_id OR {of}.handler_id = ANY (live.aliases))
                                      AND wanted.event_type IN ({of}.event_type, '*')
                                      AND wanted.last_seen_at >= now() - :expiry_millis * interval '1 millisecond')""";

    /** Reads the registry whole; relies on outbox_delivery_backlog to count what waits, up to a bound. */
    static final String MISSING = BACKLOG + """
            SELECT s.handler_id,
                   max(h.last_seen_at),
                   (SELECT count(*)
                      FROM (SELECT
                              FROM backlog b
                             CROSS JOIN LATERAL (SELECT
                                                   FROM {schema}.outbox_delivery d
                                                  WHERE d.stream = b.stream
                                                    AND d.status = b.status
                                                    AND d.handler_id = b.handler_id
                                                    AND d.event_type = b.event_type
                                                  LIMIT {most}) d
                             WHERE b.handler_id = s.handler_id
                               AND b.status <> 'DEAD'
                             LIMIT {most}) open)
              FROM {schema}.outbox_subscription s
              JOIN {schema}.outbox_handler h ON h.id = s.handler_id
             WHERE NOT {covered}
             GROUP BY s.handler_id
             ORDER BY s.handler_id
            """.replace("{covered}", COVERED.replace("{of}", "s"));

    /**
     * Relies on outbox_delivery_backlog and reads the registry. A delivery that an operator retried after its subscription was
     * deleted counts by its own age.
     */
    static final String ORPHANS = BACKLOG + """
            SELECT d.outbox_id, d.handler_id, d.aggregate_type, d.aggregate_id
              FROM backlog b
             CROSS JOIN LATERAL (SELECT d.outbox_id, d.handler_id, d.aggregate_type, d.aggregate_id
                                   FROM {schema}.outbox_delivery d
                                  WHERE d.stream = b.stream
                                    AND d.status = b.status
                                    AND d.handler_id = b.handler_id
                                    AND d.event_type = b.event_type
                                    AND (d.locked_until IS NULL OR d.locked_until < now())
                                    AND (EXISTS (SELECT
                                                   FROM {schema}.outbox_subscription s
                                                  WHERE s.handler_id = b.handler_id
                                                    AND s.event_type IN (b.event_type, '*'))
                                         OR d.created_at < now() - :expiry_millis * interval '1 millisecond')
                                  LIMIT :limit) d
             WHERE b.status <> 'DEAD'
               AND NOT {covered}
             LIMIT :limit
            """.replace("{covered}", COVERED.replace("{of}", "b"));

    /** Reads the registry; relies on outbox_delivery_backlog. A process that shows the subscription again keeps it. */
    static final String FORGET_SUBSCRIPTIONS = BACKLOG + """
            DELETE FROM {schema}.outbox_subscription s
             WHERE s.last_seen_at < now() - :expiry_millis * interval '1 millisecond'
               AND NOT EXISTS (SELECT
                                 FROM backlog b
                                WHERE b.status <> 'DEAD'
                                  AND b.handler_id = s.handler_id
                                  AND (b.event_type = s.event_type OR s.event_type = '*'))
            """;

    /** Reads the registry; relies on outbox_delivery_backlog and outbox_replay_unfinished. A paused handler stays paused. */
    static final String FORGET_HANDLERS = BACKLOG + """
            DELETE FROM {schema}.outbox_handler h
             WHERE h.last_seen_at < now() - :expiry_millis * interval '1 millisecond'
               AND NOT h.paused
               AND NOT EXISTS (SELECT FROM {schema}.outbox_subscription s WHERE s.handler_id = h.id)
               AND NOT EXISTS (SELECT FROM backlog b WHERE b.handler_id = h.id)
               AND NOT EXISTS (SELECT
                                 FROM {schema}.outbox_replay r
                                WHERE r.handler_id = h.id
                                  AND r.finished_at IS NULL)
            """;

    /** Relies on outbox_delivery_pk. */
    static final String BURY = """
            WITH buried AS (
                UPDATE {schema}.outbox_delivery d
                   SET status = 'DEAD',
                       head = false,
                       next_retry_at = NULL,
                       locked_by = NULL,
                       lock_token = NULL,
                       locked_until = NULL,
                       last_error_code = 'HANDLER_RETIRED',
                       last_error = 'no process has had this handler, or wanted this event type in it, for long'
                  FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
                 WHERE d.outbox_id = k.outbox_id
                   AND d.handler_id = k.handler_id
                   AND d.status <> 'DEAD'
                   AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp())
                RETURNING d.handler_id
            )
            SELECT handler_id, count(*)
              FROM buried
             GROUP BY handler_id
            """;

    private HandlerExpirySql() {}
}
