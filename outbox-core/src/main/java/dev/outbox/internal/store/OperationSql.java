package dev.outbox.internal.store;

/** The statements that change deliveries on an operator's word. */
final class OperationSql {

    /**
     * Relies on outbox_stream_pk and outbox_delivery_pk. Where deliveries are dead and their lanes have passed them, no claim of the
     * stream comes between what follows and the end of the transaction.
     */
    static final String LOCK_STREAM = """
            SELECT s.stream
              FROM {schema}.outbox_stream s
             WHERE s.stream = :stream
               AND EXISTS (SELECT
                             FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
                             JOIN {schema}.outbox_delivery d ON d.outbox_id = k.outbox_id AND d.handler_id = k.handler_id
                            WHERE d.status = 'DEAD'
                              AND NOT d.head)
               FOR UPDATE OF s
            """;

    /**
     * Relies on outbox_delivery_pk and on the primary keys of both partitions: the event may be in history. Returns what was done
     * and what is left alone; what is neither was changed by somebody else meanwhile, and there is nothing to do.
     */
    private static final String TOUCH = """
            WITH held AS (
                SELECT d.outbox_id, d.handler_id, d.status, d.last_error_code, d.last_error,
                       d.locked_until IS NOT NULL AND d.locked_until >= clock_timestamp() AS attempted,
                       {eligible} AS eligible
                  FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
                  JOIN {schema}.outbox_delivery d ON d.outbox_id = k.outbox_id AND d.handler_id = k.handler_id
                 ORDER BY d.outbox_id, d.handler_id
                   FOR UPDATE OF d SKIP LOCKED
            ), chosen AS (
                SELECT held.outbox_id, held.handler_id, held.status, held.last_error_code, held.last_error
                  FROM held
                 WHERE held.eligible
                   AND NOT held.attempted
            ), recorded AS (
                INSERT INTO {schema}.outbox_operation
                       (performed_by, action, reason, stream, handler_id, event_id, previous_status, last_error_code, last_error)
                SELECT :actor, '{action}', :reason, o.stream, c.handler_id, o.event_id, c.status, c.last_error_code, c.last_error
                  FROM chosen c
                  JOIN {schema}.outbox o ON o.id = c.outbox_id AND o.id = ANY (ARRAY(SELECT chosen.outbox_id FROM chosen))
                 ORDER BY c.outbox_id, c.handler_id
            ), event AS (
                {event}
            ), delivery AS (
                {delivery}
            )
            SELECT k.outbox_id, k.handler_id, c.outbox_id IS NOT NULL
              FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
              JOIN {schema}.outbox_delivery d ON d.outbox_id = k.outbox_id AND d.handler_id = k.handler_id
              LEFT JOIN held ON held.outbox_id = k.outbox_id AND held.handler_id = k.handler_id
              LEFT JOIN chosen c ON c.outbox_id = k.outbox_id AND c.handler_id = k.handler_id
             WHERE c.outbox_id IS NOT NULL
                OR held.outbox_id IS NULL
                OR held.attempted
            """;

    /** Relies on outbox_unpublished_pk. What has failed is forgotten; its status is decided when its deliveries are in place. */
    private static final String REOPEN = """
            UPDATE {schema}.outbox_unpublished o
                   SET status = 'RETRYING',
                       attempt_count = 0,
                       retry_count = 0
                 WHERE o.id = ANY (ARRAY(SELECT chosen.outbox_id FROM chosen))""";

    /**
     * Relies on outbox_delivery_pk. All wait at first; the lowest of each lane comes up afterwards. The number of attempts goes on, for
     * it fences whoever began the last one.
     */
    private static final String TAKE_BACK = """
            UPDATE {schema}.outbox_delivery d
                   SET status = 'WAITING',
                       head = false,
                       next_retry_at = NULL,
                       retry_count = 0,
                       crash_count = 0,
                       locked_by = NULL,
                       lock_token = NULL,
                       locked_until = NULL
                  FROM chosen
                 WHERE d.outbox_id = chosen.outbox_id
                   AND d.handler_id = chosen.handler_id""";

    /** Relies on outbox_unpublished_pk. Its status is decided again when the delivery is gone. */
    private static final String UNBURY = """
            UPDATE {schema}.outbox_unpublished o
                   SET status = 'RETRYING'
                 WHERE o.id = ANY (ARRAY(SELECT chosen.outbox_id FROM chosen))
                   AND o.status = 'DEAD'""";

    /** Relies on outbox_delivery_pk. */
    private static final String REMOVE = """
            DELETE FROM {schema}.outbox_delivery d
                 USING chosen
                 WHERE d.outbox_id = chosen.outbox_id
                   AND d.handler_id = chosen.handler_id""";

    /** Retries deliveries. */
    static final String RETRY = touch("RETRY", CandidateStore.RETRYABLE, REOPEN, TAKE_BACK);

    /** Skips deliveries. */
    static final String SKIP = touch("SKIP", "true", UNBURY, REMOVE);

    private OperationSql() {}

    private static String touch(String action, String eligible, String event, String delivery) {
        return TOUCH.replace("{action}", action)
                .replace("{eligible}", eligible)
                .replace("{event}", event)
                .replace("{delivery}", delivery);
    }
}
