package dev.outbox.store;

/** The statements of {@link ClaimStore}. */
final class ClaimSql {

    /** Relies on outbox_unpublished_pending: the snapshot of the statement decides where it begins, and which event is the first. */
    private static final String START = """
            start AS MATERIALIZED (
                SELECT CASE WHEN (SELECT count(*)
                                    FROM pg_snapshot_xip(pg_current_snapshot()) x
                                   WHERE x < ?::text::xid8) = ?
                            THEN ?::bigint
                            ELSE ?::bigint END AS id
            ), first AS MATERIALIZED (
                SELECT (SELECT o.id
                          FROM {schema}.outbox_unpublished o
                         WHERE (o.stream, o.id) >= (?, (SELECT start.id FROM start))
                           AND (o.stream, o.id) <= (?, 9223372036854775807)
                           AND o.dispatched_at IS NULL
                         ORDER BY o.stream, o.id
                         LIMIT 1) AS id
            )""";

    /**
     * Relies on outbox_stream_pk, outbox_unpublished_pending and outbox_claim_pk. Claimers of a stream take turns, so that the next
     * statements see every earlier claim.
     */
    static final String LOCK_STREAM = "WITH " + START + """

            SELECT s.registry_version,
                   pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
                   (SELECT count(*) FROM pg_snapshot_xip(pg_current_snapshot()) x WHERE x < ?::text::xid8),
                   (SELECT first.id FROM first),
                   (SELECT o.id
                      FROM {schema}.outbox_unpublished o
                     WHERE (o.stream, o.id) > (?, (SELECT least(greatest(first.id, ?::bigint), 4611686018427387903) + ?::bigint FROM first))
                       AND (o.stream, o.id) <= (?, 9223372036854775807)
                       AND o.dispatched_at IS NULL
                     ORDER BY o.stream, o.id
                     LIMIT 1) IS NOT NULL AND NOT s.paused,
                   (SELECT c.id
                      FROM {schema}.outbox_claim c
                     WHERE c.id >= ?
                       AND c.stream = ?
                     ORDER BY c.id
                     LIMIT 1)
              FROM {schema}.outbox_stream s
             WHERE s.stream = ?
               FOR UPDATE OF s
            """;

    /**
     * Relies on outbox_claim_pk, which has a row per batch in flight, and on outbox_unpublished_pk, in which events are looked up by
     * arrays of their ids: as long as somebody holds a snapshot, the indexes hold everything that has left the queue, which is
     * what a join of tables that look small would read. For the same reason, nothing here may lead to outbox_unpublished_pending.
     */
    static final String DROP_EXPIRED = """
            WITH expired AS (
                DELETE FROM {schema}.outbox_claim
                 WHERE id = ANY (ARRAY(SELECT id
                                         FROM {schema}.outbox_claim
                                        WHERE id >= ?
                                          AND stream = ?
                                          AND locked_until < clock_timestamp()
                                          FOR UPDATE SKIP LOCKED))
                RETURNING id, worker, event_ids
            ), unsettled AS (
                SELECT o.id
                  FROM {schema}.outbox_unpublished o
                 WHERE o.id = ANY (ARRAY(SELECT unnest(expired.event_ids) FROM expired))
                   AND o.status = 'PENDING'
                 ORDER BY o.id
                   FOR UPDATE OF o SKIP LOCKED
            ), counted AS (
                UPDATE {schema}.outbox_unpublished o
                   SET attempt_count = o.attempt_count + 1,
                       last_attempt_at = clock_timestamp(),
                       last_error_code = 'LEASE_EXPIRED'
                 WHERE o.id = ANY (ARRAY(SELECT unsettled.id FROM unsettled))
                RETURNING o.id
            )
            SELECT expired.worker,
                   (SELECT count(*) FROM counted WHERE counted.id = ANY (expired.event_ids))
              FROM expired
            """;

    /**
     * Relies on outbox_unpublished_pending, in its order. The comparisons of pairs keep the planner from the primary key, in whose
     * order it would come across every event that was dispatched and waits. The hashed NOT IN keep the order. A collision of hashes
     * only makes an aggregate wait. Looks only so far ({@link ScanDepth}): everything may belong to aggregates of other claims.
     * Half of the largest bigint ({@link ScanReach#UNBOUNDED}) can be added to an id of at most the other half.
     */
    private static final String BATCH = """
            batch AS MATERIALIZED (
                SELECT o.id,
                       hashtextextended(o.aggregate_type || chr(31) || o.aggregate_id, 0) AS aggregate
                  FROM {schema}.outbox_unpublished o
                 WHERE (o.stream, o.id) >= (?, (SELECT first.id FROM first))
                   AND (o.stream, o.id) <= (?, (SELECT least(greatest(first.id, ?::bigint), 4611686018427387903) + ?::bigint FROM first))
                   AND o.dispatched_at IS NULL
                   AND hashtextextended(o.aggregate_type || chr(31) || o.aggregate_id, 0)
                       NOT IN (SELECT unnest(c.aggregates) FROM {schema}.outbox_claim c WHERE c.id >= ? AND c.stream = ?
                                UNION ALL
                               SELECT unnest(?::bigint[]))
                   AND EXISTS (SELECT FROM {schema}.outbox_stream s WHERE s.stream = ? AND NOT s.paused)
                 ORDER BY o.stream, o.id
                 LIMIT ?
                   FOR UPDATE OF o {locked rows}
            )""";

    /**
     * What the batch passed over because somebody holds it locked. What is claimed is marked, not joined: the queue may have been
     * empty when its statistics were taken.
     */
    private static final String CHECKED = """
            passed_over AS MATERIALIZED (
                SELECT hashtextextended(o.aggregate_type || chr(31) || o.aggregate_id, 0) AS aggregate, min(o.id) AS id
                  FROM {schema}.outbox_unpublished o
                 WHERE (o.stream, o.id) >= (?, (SELECT first.id FROM first))
                   AND (o.stream, o.id) <= (?, (SELECT max(batch.id) FROM batch))
                   AND o.dispatched_at IS NULL
                   AND o.id NOT IN (SELECT batch.id FROM batch)
                 GROUP BY 1
            ), checked AS MATERIALIZED (
                SELECT batch.*,
                       batch.aggregate NOT IN (SELECT p.aggregate FROM passed_over p)
                       OR batch.id < (SELECT p.id FROM passed_over p WHERE p.aggregate = batch.aggregate) AS claimable
                  FROM batch
            )""";

    /**
     * Relies on outbox_delivery_lane_head for the blocked handlers, and on outbox_unpublished_pk: looking the events up again is
     * cheaper than keeping them in memory. What is not claimable comes back without a claim id, and with its
     * aggregate.
     */
    private static final String TAKE = """
            claim AS (
                INSERT INTO {schema}.outbox_claim (stream, worker, locked_until, event_ids, aggregates)
                SELECT ?, ?, clock_timestamp() + ? * interval '1 millisecond', ids.event_ids, ids.aggregates
                  FROM (SELECT array_agg(o.id ORDER BY o.id) AS event_ids, array_agg(DISTINCT o.aggregate) AS aggregates
                          FROM {rows} o
                         WHERE {row is claimable}) ids
                 WHERE ids.event_ids IS NOT NULL
                RETURNING id
            )
            SELECT {envelope},
                   o.attempt_count,
                   (SELECT string_agg(d.handler_id, chr(31))
                      FROM {schema}.outbox_delivery d
                     WHERE d.aggregate_type = o.aggregate_type
                       AND d.aggregate_id = o.aggregate_id
                       AND d.head),
                   {aggregate},
                   CASE WHEN {claimable} THEN (SELECT claim.id FROM claim) END
              FROM {schema}.outbox_unpublished o
             WHERE o.id = ANY (ARRAY(SELECT batch.id FROM batch))
             ORDER BY o.id
            """;

    /** Fails if somebody else holds one of the rows locked. */
    static final String CLAIM = "WITH " + START + ", " + BATCH.replace("{locked rows}", "NOWAIT") + ", "
            + TAKE.replace("{rows}", "batch")
                    .replace("{row is claimable}", "true")
                    .replace("{aggregate}", "NULL::bigint")
                    .replace("{claimable}", "true");

    /** Skips a row that somebody else holds locked, and all later ones of its aggregate. Looks at everything twice. */
    static final String CLAIM_UNLOCKED = "WITH " + START + ", " + BATCH.replace("{locked rows}", "SKIP LOCKED") + ", "
            + CHECKED + ", "
            + TAKE.replace("{rows}", "checked")
                    .replace("{row is claimable}", "o.claimable")
                    .replace("{aggregate}", "hashtextextended(o.aggregate_type || chr(31) || o.aggregate_id, 0)")
                    .replace("{claimable}", "o.id IN (SELECT checked.id FROM checked WHERE checked.claimable)");

    /** Relies on outbox_delivery_next_due, in its order, once for each handler. */
    static final String UNTIL_NEXT_DELIVERY = """
            SELECT ceil(extract(epoch FROM d.next_retry_at - clock_timestamp()) * 1000)::bigint
              FROM unnest(?::text[], ?::text[]) AS h (handler_id, event_types)
             CROSS JOIN LATERAL (SELECT d.next_retry_at
                                   FROM {schema}.outbox_delivery d
                                  WHERE d.stream = ?
                                    AND d.handler_id = h.handler_id
                                    AND d.status = 'DUE'
                                    AND (h.event_types = '*' OR d.event_type = ANY (string_to_array(h.event_types, ',')))
                                    AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp())
                                  ORDER BY d.next_retry_at
                                  LIMIT 1) d
             ORDER BY d.next_retry_at
             LIMIT 1
            """;

    /** Relies on outbox_claim_pk. */
    static final String RENEW = """
            UPDATE {schema}.outbox_claim
               SET locked_until = clock_timestamp() + ? * interval '1 millisecond'
             WHERE id = ANY (?)
            RETURNING id
            """;

    /** Relies on outbox_claim_pk. */
    static final String RELEASE = """
            DELETE FROM {schema}.outbox_claim
             WHERE id = ?
            """;

    private ClaimSql() {}
}
