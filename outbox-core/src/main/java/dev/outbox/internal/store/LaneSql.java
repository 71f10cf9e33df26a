package dev.outbox.internal.store;

/** The statements that everyone needs who changes which delivery is the head of a lane. */
final class LaneSql {

    /** Relies on outbox_unpublished_pk. Two handlers of one event take turns, so that the last one sees it is the last. */
    static final String LOCK_EVENTS = """
            SELECT o.id
              FROM {schema}.outbox_unpublished o
             WHERE o.id = ANY (:events)
             ORDER BY o.id
               FOR UPDATE
            """;

    /**
     * Locks lanes after the rows of their events, before the statements that follow look at heads: no other transaction changes these
     * until this one ends. A handler has 128 locks, so that a large batch does not exhaust the lock table of the server, and shares none
     * with other handlers, so that a storm of retries delays only its own. All transactions lock in the same order.
     */
    static final String LOCK_LANES = """
            SELECT pg_advisory_xact_lock(lane.handler, lane.bucket)
              FROM (SELECT DISTINCT hashtext('outbox lanes of {schema} ' || l.handler_id) AS handler,
                           ({schema}.outbox_aggregate_hash(l.aggregate_type, l.aggregate_id) & 127)::integer AS bucket
                      FROM unnest(:lane_types::text[], :lane_ids::text[], :lane_handlers::text[])
                           AS l (aggregate_type, aggregate_id, handler_id)
                     ORDER BY handler, bucket) lane
            """;

    /** Relies on outbox_unpublished_pk. The same locks for the lanes of queued events. */
    static final String LOCK_LANES_OF_EVENTS = """
            SELECT pg_advisory_xact_lock(lane.handler, lane.bucket)
              FROM (SELECT DISTINCT hashtext('outbox lanes of {schema} ' || l.handler_id) AS handler,
                           ({schema}.outbox_aggregate_hash(o.aggregate_type, o.aggregate_id) & 127)::integer AS bucket
                      FROM unnest(:queued_events::bigint[], :queued_handlers::text[]) AS l (outbox_id, handler_id)
                     CROSS JOIN LATERAL (SELECT * FROM {schema}.outbox_unpublished o WHERE o.id = l.outbox_id LIMIT 1) o
                     ORDER BY handler, bucket) lane
            """;

    /**
     * Relies on outbox_delivery_lane_head and outbox_delivery_lane_waiting. A head that only waits for its time makes way for an
     * earlier one, to be followed by {@link #PROMOTE}. It keeps its time, so that making way costs it no attempt. An expired
     * claim of it ends, also for what follows it, so that a late worker cannot start beside the new head. One that is attempted right now stays, and so does a dead one: it blocks its lane until an operator decides.
     */
    static final String DEMOTE_HEAD = """
            WITH head AS MATERIALIZED (
                SELECT h.outbox_id, h.handler_id, h.lock_token, lane.aggregate_type, lane.aggregate_id
                  FROM (SELECT DISTINCT aggregate_type, aggregate_id, handler_id
                          FROM unnest(:lane_types::text[], :lane_ids::text[], :lane_handlers::text[]) AS l (aggregate_type, aggregate_id, handler_id)) lane
                 CROSS JOIN LATERAL (SELECT d.outbox_id, d.handler_id, d.lock_token
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.aggregate_type = lane.aggregate_type
                                        AND d.aggregate_id = lane.aggregate_id
                                        AND d.handler_id = lane.handler_id
                                        AND d.head
                                        AND d.status = 'DUE'
                                        AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp())
                                        AND d.aggregate_seq > (SELECT w.aggregate_seq
                                                                 FROM {schema}.outbox_delivery w
                                                                WHERE w.aggregate_type = lane.aggregate_type
                                                                  AND w.aggregate_id = lane.aggregate_id
                                                                  AND w.handler_id = lane.handler_id
                                                                  AND w.status = 'WAITING'
                                                                ORDER BY w.aggregate_seq
                                                                LIMIT 1)
                                      LIMIT 1
                                        FOR UPDATE SKIP LOCKED) h
            ), ended AS (
                UPDATE {schema}.outbox_delivery d
                   SET crash_count = d.crash_count + 1,
                       locked_by = NULL,
                       lock_token = NULL,
                       locked_until = NULL
                  FROM head
                 WHERE d.aggregate_type = head.aggregate_type
                   AND d.aggregate_id = head.aggregate_id
                   AND d.handler_id = head.handler_id
                   AND d.status = 'WAITING'
                   AND d.lock_token = head.lock_token
            )
            UPDATE {schema}.outbox_delivery d
               SET status = 'WAITING',
                   head = false,
                   crash_count = d.crash_count + (d.locked_until IS NOT NULL)::integer,
                   locked_by = NULL,
                   lock_token = NULL,
                   locked_until = NULL
              FROM head
             WHERE d.outbox_id = head.outbox_id
               AND d.handler_id = head.handler_id
            """;

    /**
     * Relies on outbox_delivery_lane_head and outbox_delivery_lane_waiting. The next of a lane without a head is due at once,
     * unless it has failed before and has a time.
     */
    static final String PROMOTE = """
            UPDATE {schema}.outbox_delivery d
               SET status = 'DUE',
                   head = true,
                   next_retry_at = greatest(clock_timestamp(), d.next_retry_at)
              FROM (SELECT DISTINCT aggregate_type, aggregate_id, handler_id
                      FROM unnest(:lane_types::text[], :lane_ids::text[], :lane_handlers::text[]) AS l (aggregate_type, aggregate_id, handler_id)) lane
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
                 WHERE o.id = ANY (:events)
                   AND o.status = 'RETRYING'
            ), moved AS (
                DELETE FROM {schema}.outbox_unpublished
                 WHERE id = ANY (ARRAY(SELECT event.id FROM event WHERE event.open = 0 AND event.dead = 0))
                RETURNING {moved}
            ), history AS (
                {history}
                  FROM moved
            ), kept AS (
                UPDATE {schema}.outbox_unpublished o
                   SET status = CASE WHEN event.open = 0 THEN 'DEAD' ELSE 'RETRYING' END,
                       next_retry_at = event.next_retry_at
                  FROM event
                 WHERE o.id = event.id
                   AND o.id = ANY (ARRAY(SELECT event.id FROM event))
                   AND event.open + event.dead > 0
                RETURNING o.id, o.status, o.retry_count
            )
            SELECT id, retry_count FROM moved
             UNION ALL
            SELECT id, retry_count FROM kept WHERE status = 'DEAD'
            """;

    private LaneSql() {}
}
