package dev.outbox.store;

/** The statements that everyone needs who changes which delivery is the head of a lane. */
final class LaneSql {

    /** Relies on outbox_unpublished_pk. Two handlers of one event take turns, so that the last one sees it is the last. */
    static final String LOCK_EVENTS = """
            SELECT o.id
              FROM {schema}.outbox_unpublished o
             WHERE o.id = ANY (?)
             ORDER BY o.id
               FOR UPDATE
            """;

    /**
     * Relies on outbox_unpublished_pk. To be taken after the rows of the events, before heads of lanes are looked at in the
     * statements that follow: nobody else changes these until the end of the transaction. Lanes share a fixed number of
     * locks, so that a large batch does not exhaust the server's lock table, and everyone takes them in the same order.
     */
    static final String LOCK_LANES_OF_EVENTS = """
            SELECT pg_advisory_xact_lock(hashtext('outbox lanes of {schema}'), lane.bucket)
              FROM (SELECT DISTINCT (hashtextextended(l.handler_id || chr(31) || o.aggregate_type || chr(31) || o.aggregate_id, 0)
                                     & 127)::integer AS bucket
                      FROM unnest(?::bigint[], ?::text[]) AS l (outbox_id, handler_id)
                      JOIN {schema}.outbox_unpublished o ON o.id = l.outbox_id
                     ORDER BY bucket) lane
            """;

    /** The same locks for lanes given by name. */
    static final String LOCK_LANES = """
            SELECT pg_advisory_xact_lock(hashtext('outbox lanes of {schema}'), lane.bucket)
              FROM (SELECT DISTINCT (hashtextextended(l.handler_id || chr(31) || l.aggregate_type || chr(31) || l.aggregate_id, 0)
                                     & 127)::integer AS bucket
                      FROM unnest(?::text[], ?::text[], ?::text[]) AS l (aggregate_type, aggregate_id, handler_id)
                     ORDER BY bucket) lane
            """;

    /** Relies on outbox_delivery_lane_head and outbox_delivery_lane_waiting. The next of a lane without a head is due at once. */
    static final String PROMOTE = """
            UPDATE {schema}.outbox_delivery d
               SET status = 'DUE',
                   head = true,
                   next_retry_at = clock_timestamp()
              FROM (SELECT DISTINCT aggregate_type, aggregate_id, handler_id
                      FROM unnest(?::text[], ?::text[], ?::text[]) AS l (aggregate_type, aggregate_id, handler_id)) lane
             CROSS JOIN LATERAL (SELECT w.outbox_id
                                   FROM {schema}.outbox_delivery w
                                  WHERE w.aggregate_type = lane.aggregate_type
                                    AND w.aggregate_id = lane.aggregate_id
                                    AND w.handler_id = lane.handler_id
                                    AND w.status = 'WAITING'
                                  ORDER BY w.aggregate_seq
                                  LIMIT 1) next
             WHERE d.outbox_id = next.outbox_id
               AND d.handler_id = lane.handler_id
               AND NOT EXISTS (SELECT
                                 FROM {schema}.outbox_delivery h
                                WHERE h.aggregate_type = lane.aggregate_type
                                  AND h.aggregate_id = lane.aggregate_id
                                  AND h.handler_id = lane.handler_id
                                  AND h.head)
            """;

    /** Relies on outbox_delivery_pk and outbox_unpublished_pk. An event with no delivery left to try is done. */
    static final String COMPLETE = """
            WITH event AS (
                SELECT o.id, d.open, d.dead, d.next_retry_at
                  FROM {schema}.outbox_unpublished o
                 CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE d.status <> 'DEAD') AS open,
                                            count(*) FILTER (WHERE d.status = 'DEAD') AS dead,
                                            min(d.next_retry_at) AS next_retry_at
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.outbox_id = o.id) d
                 WHERE o.id = ANY (?)
                   AND o.status = 'RETRYING'
            ), moved AS (
                DELETE FROM {schema}.outbox_unpublished
                 WHERE id IN (SELECT event.id FROM event WHERE event.open = 0 AND event.dead = 0)
                RETURNING {moved}
            ), history AS (
                {history}
            ), kept AS (
                UPDATE {schema}.outbox_unpublished o
                   SET status = CASE WHEN event.open = 0 THEN 'DEAD' ELSE 'RETRYING' END,
                       next_retry_at = event.next_retry_at
                  FROM event
                 WHERE o.id = event.id
                   AND event.open + event.dead > 0
                RETURNING o.id, o.status, o.retry_count
            )
            SELECT id, retry_count FROM moved
             UNION ALL
            SELECT id, retry_count FROM kept WHERE status = 'DEAD'
            """;

    private LaneSql() {}
}
