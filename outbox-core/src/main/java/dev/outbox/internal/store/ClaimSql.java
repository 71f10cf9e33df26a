package dev.outbox.internal.store;

/** The statements of {@link ClaimStore}. */
final class ClaimSql {

    /**
     * Runs before the transaction has an id of its own: every event id up to this one belongs to a transaction with a smaller id, since
     * publishers have their transaction id before they draw an event id.
     */
    static final String READ_LAST_ID = """
            SELECT set_config('outbox.last_id', (SELECT CASE WHEN q.is_called THEN q.last_value ELSE 0 END
                                                   FROM {schema}.outbox_id_seq q)::text, true)
            """;

    /** The incarnation of the database. The first claim after a crash begins a new one. */
    static final String INCARNATION =
            "coalesce((SELECT i.token FROM {schema}.outbox_incarnation i), {schema}.outbox_begin_incarnation())";

    /**
     * Relies on outbox_stream_pk and outbox_unpublished_pending. Claimers of a stream take turns, so that the next statements see every
     * earlier claim. Whether the queue is long is a hint.
     */
    static final String LOCK_STREAM = """
            SELECT s.registry_version,
                   {incarnation},
                   extract(epoch FROM pg_postmaster_start_time())::text,
                   NOT s.paused
                   AND (SELECT o.id
                          FROM {schema}.outbox_unpublished o
                         WHERE (o.stream, o.id) > (:stream, least(greatest(s.low_water_mark, :from::bigint), 4611686018427387903) + :near::bigint)
                           AND (o.stream, o.id) <= (:stream, 9223372036854775807)
                           AND o.dispatched_at IS NULL
                         ORDER BY o.stream, o.id
                         LIMIT 1) IS NOT NULL
              FROM {schema}.outbox_stream s
             WHERE s.stream = :stream
               FOR UPDATE OF s
            """.replace("{incarnation}", INCARNATION);

    /**
     * Relies on outbox_stream_pk, outbox_unpublished_pending and outbox_claim_pk. Advances the claim window. Once no transaction before
     * {@code next_horizon} is running, no event up to {@code next_mark} can appear any more. A transaction that takes longer than a
     * second is passed over: the low-water mark then holds only as long as the same transactions are running, and claims start at the
     * safe mark when one of them has ended. Claims do so only now and then: while a snapshot is held, every version of the row is read.
     * Transaction ids that lie ahead of this one come from another cluster, and the window starts anew.
     */
    static final String ADVANCE_WINDOW = """
            WITH stream AS MATERIALIZED (
                SELECT s.*,
                       greatest(s.horizon, s.next_horizon) >= pg_current_xact_id() AS foreign_ids,
                       (SELECT count(*) FROM pg_snapshot_xip(pg_current_snapshot()) x WHERE x < s.horizon) AS running,
                       (SELECT count(*) FROM pg_snapshot_xip(pg_current_snapshot()) x WHERE x < s.next_horizon) AS next_running,
                       clock_timestamp() - s.advanced_at AS age,
                       current_setting('outbox.last_id')::bigint AS last_id
                  FROM {schema}.outbox_stream s
                 WHERE s.stream = :stream
            ), due AS MATERIALIZED (
                SELECT stream.*,
                       (SELECT o.id
                          FROM {schema}.outbox_unpublished o
                         WHERE (o.stream, o.id) >= (stream.stream, CASE WHEN stream.foreign_ids OR :whole_queue THEN 0
                                                                        WHEN stream.running = stream.open_writers
                                                                        THEN stream.low_water_mark
                                                                        ELSE stream.safe_mark END)
                           AND (o.stream, o.id) <= (stream.stream, 9223372036854775807)
                           AND o.dispatched_at IS NULL
                         ORDER BY o.stream, o.id
                         LIMIT 1) AS first
                  FROM stream
                 WHERE stream.foreign_ids
                    OR stream.next_running = 0
                    OR stream.age NOT BETWEEN interval '0' AND interval '1 second'
            ), advanced AS (
                SELECT due.stream, due.last_id, due.next_horizon, due.next_running,
                       CASE WHEN due.foreign_ids THEN 0 ELSE least(due.first, due.next_mark + 1) END AS low_water_mark,
                       CASE WHEN due.foreign_ids THEN 0
                            WHEN due.next_running = 0 THEN least(due.first, due.next_mark + 1)
                            ELSE least(due.first, due.safe_mark) END AS safe_mark,
                       due.foreign_ids,
                       coalesce((SELECT c.id
                                   FROM {schema}.outbox_claim c
                                  WHERE c.id >= due.first_claim
                                    AND c.stream = due.stream
                                  ORDER BY c.id
                                  LIMIT 1),
                                (SELECT q.last_value + q.is_called::integer FROM {schema}.outbox_claim_id_seq q)) AS first_claim
                  FROM due
            )
            UPDATE {schema}.outbox_stream s
               SET low_water_mark = advanced.low_water_mark,
                   safe_mark = advanced.safe_mark,
                   horizon = CASE WHEN advanced.foreign_ids THEN '0' ELSE advanced.next_horizon END,
                   open_writers = CASE WHEN advanced.foreign_ids THEN 0 ELSE advanced.next_running END,
                   next_mark = advanced.last_id,
                   next_horizon = pg_current_xact_id(),
                   first_claim = CASE WHEN advanced.foreign_ids THEN 0 ELSE advanced.first_claim END,
                   advanced_at = clock_timestamp()
              FROM advanced
             WHERE s.stream = advanced.stream
               AND (s.low_water_mark, s.safe_mark, s.open_writers, s.next_mark)
                   IS DISTINCT FROM
                   (advanced.low_water_mark, advanced.safe_mark, advanced.next_running, advanced.last_id)
            """;

    /** Relies on outbox_stream_pk and outbox_unpublished_pending: the snapshot of the claim decides where it starts. */
    private static final String START = """
            start AS MATERIALIZED (
                SELECT CASE WHEN :whole_queue THEN 0
                            WHEN s.open_writers = (SELECT count(*)
                                                     FROM pg_snapshot_xip(pg_current_snapshot()) x
                                                    WHERE x < s.horizon)
                            THEN s.low_water_mark
                            ELSE s.safe_mark END AS id,
                       s.first_claim
                  FROM {schema}.outbox_stream s
                 WHERE s.stream = :stream
                   AND NOT s.paused
            ), first AS MATERIALIZED (
                SELECT (SELECT o.id
                          FROM {schema}.outbox_unpublished o
                         WHERE (o.stream, o.id) >= (:stream, (SELECT start.id FROM start))
                           AND (o.stream, o.id) <= (:stream, 9223372036854775807)
                           AND o.dispatched_at IS NULL
                         ORDER BY o.stream, o.id
                         LIMIT 1) AS id
            )""";

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
                                        WHERE id >= (SELECT s.first_claim FROM {schema}.outbox_stream s WHERE s.stream = :stream)
                                          AND stream = :stream
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
                       {schema}.outbox_aggregate_hash(o.aggregate_type, o.aggregate_id) AS aggregate,
                       {schema}.outbox_payload_size(o.payload) AS bytes
                  FROM {schema}.outbox_unpublished o
                 WHERE (o.stream, o.id) >= (:stream, (SELECT first.id FROM first))
                   AND (o.stream, o.id) <= (:stream, (SELECT least(greatest(first.id, :from::bigint), 4611686018427387903) + :depth::bigint FROM first))
                   AND o.dispatched_at IS NULL
                   AND {schema}.outbox_aggregate_hash(o.aggregate_type, o.aggregate_id)
                       NOT IN (SELECT unnest(c.aggregates)
                                 FROM {schema}.outbox_claim c
                                WHERE c.id >= (SELECT start.first_claim FROM start)
                                  AND c.stream = :stream
                                UNION ALL
                               SELECT unnest(:held::bigint[]))
                 ORDER BY o.stream, o.id
                 LIMIT :batch_size
                   FOR UPDATE OF o {locked rows}
            ), cut AS MATERIALIZED (
                SELECT CASE WHEN (SELECT sum(batch.bytes) FROM batch) < most.bytes THEN 9223372036854775807
                            ELSE (SELECT max(b.id)
                                    FROM (SELECT batch.id, sum(batch.bytes) OVER (ORDER BY batch.id) - batch.bytes AS bytes_before
                                            FROM batch) b
                                   WHERE b.bytes_before < most.bytes) END AS id
                  FROM (SELECT :most_bytes::bigint AS bytes) most
            )""";

    /**
     * What the batch passed over because somebody holds it locked. What is claimed is marked, not joined: the queue may have been
     * empty when its statistics were taken.
     */
    private static final String CHECKED = """
            passed_over AS MATERIALIZED (
                SELECT {schema}.outbox_aggregate_hash(o.aggregate_type, o.aggregate_id) AS aggregate, min(o.id) AS id
                  FROM {schema}.outbox_unpublished o
                 WHERE (o.stream, o.id) >= (:stream, (SELECT first.id FROM first))
                   AND (o.stream, o.id) <= (:stream, (SELECT max(batch.id) FROM batch))
                   AND o.dispatched_at IS NULL
                   AND o.id NOT IN (SELECT batch.id FROM batch)
                 GROUP BY 1
            ), checked AS MATERIALIZED (
                SELECT batch.id, batch.aggregate,
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
                INSERT INTO {schema}.outbox_claim (token, stream, worker, locked_until, event_ids, aggregates)
                SELECT :token, :stream, :worker, clock_timestamp() + :lease * interval '1 millisecond', ids.event_ids, ids.aggregates
                  FROM (SELECT array_agg(o.id ORDER BY o.id) AS event_ids, array_agg(DISTINCT o.aggregate) AS aggregates
                          FROM {rows} o
                         WHERE {row is claimable}
                           AND o.id <= (SELECT cut.id FROM cut)) ids
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
                   CASE WHEN {claimable} THEN (SELECT claim.id FROM claim) END,
                   (SELECT max(batch.id) FROM batch) > (SELECT cut.id FROM cut)
              FROM {schema}.outbox_unpublished o
             WHERE o.id = ANY (ARRAY(SELECT batch.id FROM batch WHERE batch.id <= (SELECT cut.id FROM cut)))
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
                    .replace("{aggregate}", "{schema}.outbox_aggregate_hash(o.aggregate_type, o.aggregate_id)")
                    .replace("{claimable}", "o.id IN (SELECT checked.id FROM checked WHERE checked.claimable)");

    /**
     * Relies on outbox_delivery_next_due, in its order, once for each handler, and once more for its deliveries that have a lease or
     * crashed: a leased one is next when its lease ends.
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

    /** A claim, as long as it is its worker's: with its token, and in the incarnation of the database in which it was made. */
    static final String HELD = """
            c.id = :claim
               AND c.token = :token
               AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = :incarnation)""";

    /** Relies on outbox_claim_pk. */
    static final String RENEW = """
            UPDATE {schema}.outbox_claim c
               SET locked_until = clock_timestamp() + :lease * interval '1 millisecond'
             WHERE {held}
            """.replace("{held}", HELD);

    /** Relies on outbox_claim_pk. */
    static final String CONFIRM = """
            SELECT count(*)
              FROM {schema}.outbox_claim c
             WHERE {held}
               AND c.locked_until > clock_timestamp()
            """.replace("{held}", HELD);

    /** Relies on outbox_claim_pk. */
    static final String RELEASE = """
            DELETE FROM {schema}.outbox_claim
             WHERE id = :claim
               AND token = :token
            """;

    private ClaimSql() {}
}
