package dev.outbox.internal.store;

/** Statements that find retried deliveries whose handler may have had later events of the aggregate. */
final class OutOfOrderSql {

    /**
     * Relies on outbox_stream_pk and outbox_delivery_pk. Where a lane has passed dead deliveries, no claim of the stream may come
     * between {@link #PASSED} and the end of the transaction.
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
     * Dead deliveries with a later event that may have reached their handler. Relies on outbox_delivery_pk, outbox_aggregate_pk and,
     * once for each lane, on outbox_unpublished_aggregate; reads outbox_claim whole. From the last event of an aggregate down to
     * {@code handled_to}, each waits for the handler: unclaimed, or with a delivery that no worker attempts. Where the application gives
     * the sequences, the last one is unknown, and so is what the handler has received.
     */
    static final String PASSED = """
            WITH claimed AS MATERIALIZED (
                SELECT unnest(c.event_ids) AS id
                  FROM {schema}.outbox_claim c
            ), passed AS (
                SELECT d.outbox_id, d.handler_id, d.aggregate_type, d.aggregate_id, d.aggregate_seq
                  FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
                  JOIN {schema}.outbox_delivery d ON d.outbox_id = k.outbox_id AND d.handler_id = k.handler_id
                 WHERE d.status = 'DEAD'
                   AND NOT d.head
            ), lane AS (
                SELECT first.handler_id, first.aggregate_type, first.aggregate_id, a.last_seq - later.waiting AS handled_to
                  FROM (SELECT p.handler_id, p.aggregate_type, p.aggregate_id, min(p.aggregate_seq) AS aggregate_seq
                          FROM passed p
                         GROUP BY p.handler_id, p.aggregate_type, p.aggregate_id) first
                  LEFT JOIN {schema}.outbox_aggregate a
                    ON a.aggregate_type = first.aggregate_type AND a.aggregate_id = first.aggregate_id
                 CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE w.aggregate_seq = a.last_seq - w.place) AS waiting
                                       FROM (SELECT o.aggregate_seq,
                                                    row_number() OVER (ORDER BY o.aggregate_seq DESC) - 1 AS place
                                               FROM {schema}.outbox_unpublished o
                                               LEFT JOIN {schema}.outbox_delivery d
                                                 ON d.outbox_id = o.id AND d.handler_id = first.handler_id
                                              WHERE o.aggregate_type = first.aggregate_type
                                                AND o.aggregate_id = first.aggregate_id
                                                AND o.aggregate_seq > first.aggregate_seq
                                                AND CASE WHEN o.dispatched_at IS NULL THEN o.id NOT IN (SELECT claimed.id FROM claimed)
                                                         ELSE d.locked_until IS NULL AND d.outbox_id IS NOT NULL
                                                              OR d.locked_until < clock_timestamp() END) w) later
            )
            SELECT p.outbox_id, p.handler_id
              FROM passed p
              JOIN lane ON lane.handler_id = p.handler_id
                       AND lane.aggregate_type = p.aggregate_type
                       AND lane.aggregate_id = p.aggregate_id
                       AND (lane.handled_to > p.aggregate_seq OR lane.handled_to IS NULL)
            """;

    /** Relies on outbox_delivery_pk and outbox_delivery_lane_head. What waits for a later delivery waits for a worker's attempt. */
    static final String OVERTAKEN = """
            SELECT d.outbox_id, d.handler_id
              FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
              JOIN {schema}.outbox_delivery d ON d.outbox_id = k.outbox_id AND d.handler_id = k.handler_id
              JOIN {schema}.outbox_delivery h ON h.aggregate_type = d.aggregate_type
                                             AND h.aggregate_id = d.aggregate_id
                                             AND h.handler_id = d.handler_id
                                             AND h.head
             WHERE d.status = 'WAITING'
               AND h.status = 'DUE'
               AND h.aggregate_seq > d.aggregate_seq
            """;

    private OutOfOrderSql() {}
}
