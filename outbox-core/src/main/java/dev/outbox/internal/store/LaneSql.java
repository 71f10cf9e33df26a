package dev.outbox.internal.store;

/** SQL shared by all operations that change the head of a lane. */
final class LaneSql {

    /** Relies on outbox_unpublished_pk. Serializes settlements of one event, so that the last one completes it. */
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
     * Relies on outbox_delivery_lane_head and outbox_delivery_lane_waiting, and precedes {@link #PROMOTE}. Demotes heads that are backing
     * off behind earlier deliveries. They keep their due time, so that it costs them no attempt. An expired claim ends for the whole lane,
     * so that a late worker cannot start beside the new head. A head with a lease stays, and so does a dead one: it blocks its lane until
     * an operator decides. Looks up each lane: a join would read all that wait.
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
                  FROM (SELECT w.outbox_id, head.handler_id, head.lock_token
                          FROM head
                         CROSS JOIN LATERAL (SELECT w.outbox_id
                                               FROM {schema}.outbox_delivery w
                                              WHERE w.aggregate_type = head.aggregate_type
                                                AND w.aggregate_id = head.aggregate_id
                                                AND w.handler_id = head.handler_id
                                                AND w.status = 'WAITING'
                                                AND w.lock_token = head.lock_token
                                             OFFSET 0) w
                         WHERE head.lock_token IS NOT NULL) former
                 WHERE d.outbox_id = former.outbox_id
                   AND d.handler_id = former.handler_id
                   AND d.lock_token = former.lock_token
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

    /** Relies on outbox_delivery_pk. Locks the deliveries of one kind that still belong to their worker, in the order of settlements. */
    private static final String HELD = """
            WITH held AS (
                SELECT d.outbox_id, d.handler_id
                  FROM unnest(:outbox_ids::bigint[], :handler_ids::text[], :kinds::text[]) AS h (outbox_id, handler_id, kind)
                  JOIN {schema}.outbox_delivery d ON d.outbox_id = h.outbox_id AND d.handler_id = h.handler_id
                 WHERE h.kind = '{kind}'
                   AND d.lock_token = :token
                   AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = :incarnation)
                 ORDER BY d.outbox_id, d.handler_id
                   FOR UPDATE OF d
            )
            """;

    /**
     * Relies on outbox_delivery_pk and outbox_delivery_lane_head. A lane belongs to one worker until that has finished with it: the delivery
     * that it attempts next becomes the head, even if an earlier one has entered the lane meanwhile.
     */
    static final String KEEP_HEAD = held("NEXT") + """
            UPDATE {schema}.outbox_delivery d
               SET status = 'DUE',
                   head = true,
                   next_retry_at = clock_timestamp()
              FROM held
             WHERE d.outbox_id = held.outbox_id
               AND d.handler_id = held.handler_id
               AND (SELECT h.outbox_id
                      FROM {schema}.outbox_delivery h
                     WHERE h.aggregate_type = d.aggregate_type
                       AND h.aggregate_id = d.aggregate_id
                       AND h.handler_id = d.handler_id
                       AND h.head
                     LIMIT 1) IS NULL
            """;

    /**
     * Relies on outbox_delivery_lane_head and outbox_delivery_lane_waiting. Makes the first delivery of a lane without a head its head: due
     * at once, unless it has failed before and has a due time. Looks up each head: as an anti-join, it would read all heads.
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
               AND (SELECT h.outbox_id
                      FROM {schema}.outbox_delivery h
                     WHERE h.aggregate_type = lane.aggregate_type
                       AND h.aggregate_id = lane.aggregate_id
                       AND h.handler_id = lane.handler_id
                       AND h.head
                     LIMIT 1) IS NULL
            """;

    /**
     * Relies on outbox_delivery_pk and outbox_unpublished_pk. Moves events without deliveries to history. Changes the others by the places
     * of their rows, which is safe only because {@link #LOCK_EVENTS} has locked them earlier in the transaction: no other can move them.
     */
    static final String COMPLETE = """
            WITH event AS (
                SELECT o.id, o.ctid AS place, d.open, d.dead, d.next_retry_at
                  FROM {schema}.outbox_unpublished o
                 CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE d.status <> 'DEAD') AS open,
                                            count(*) FILTER (WHERE d.status = 'DEAD') AS dead,
                                            min(d.next_retry_at) AS next_retry_at
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.outbox_id = o.id) d
                 WHERE o.id = ANY (:events)
                   AND o.status = 'RETRYING'
            ), done AS (
                SELECT event.id
                  FROM event
                 WHERE event.open = 0 AND event.dead = 0
            ), history AS (
            """ + EventRow.COPY_TO_HISTORY + """
                 WHERE o.id = ANY (ARRAY(SELECT done.id FROM done))
            ), moved AS (
                DELETE FROM {schema}.outbox_unpublished o
                 WHERE o.id = ANY (ARRAY(SELECT done.id FROM done))
                RETURNING o.id, o.retry_count
            ), kept AS (
                UPDATE {schema}.outbox_unpublished o
                   SET status = CASE WHEN event.open = 0 THEN 'DEAD' ELSE 'RETRYING' END,
                       next_retry_at = event.next_retry_at
                  FROM event
                 WHERE o.ctid = event.place
                   AND event.open + event.dead > 0
                RETURNING o.id, o.status, o.retry_count
            )
            SELECT id, retry_count FROM moved
             UNION ALL
            SELECT id, retry_count FROM kept WHERE status = 'DEAD'
            """;

    /**
     * Relies on outbox_delivery_next_due, in its order, twice for each handler: deliveries that have outlived two leases have a range of
     * their own. A leased one is next when its lease ends.
     */
    static final String UNTIL_NEXT_DELIVERY = """
            SELECT ceil(extract(epoch FROM d.next_at - clock_timestamp()) * 1000)::bigint
              FROM unnest(:handler_ids::text[], :event_types::text[]) AS h (handler_id, event_types)
             CROSS JOIN unnest('{f,t}'::boolean[]) AS kind (suspect)
             CROSS JOIN LATERAL (SELECT greatest(d.next_retry_at, d.locked_until) AS next_at
                                   FROM {schema}.outbox_delivery d
                                  WHERE d.stream = :stream
                                    AND d.handler_id = h.handler_id
                                    AND d.status = 'DUE'
                                    AND (d.crash_count + (d.locked_until IS NOT NULL)::integer > 1) = kind.suspect
                                    AND (h.event_types = '*' OR d.event_type = ANY (string_to_array(h.event_types, ',')))
                                  ORDER BY greatest(d.next_retry_at, d.locked_until)
                                  LIMIT 1) d
             ORDER BY d.next_at
             LIMIT 1
            """;

    private LaneSql() {}

    /** Begins a statement on the deliveries of one kind: {@code held}. */
    static String held(String kind) {
        return HELD.replace("{kind}", kind);
    }
}
