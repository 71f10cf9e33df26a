package dev.outbox.internal.store;

/** The long statements of {@link DeliveryClaimStore} and {@link DeliverySettlementStore}. */
final class DeliverySql {

    /**
     * Relies on outbox_delivery_next_due, twice for each handler, outbox_delivery_lane_waiting, and the primary keys of both partitions.
     *
     * <ul>
     *   <li>{@code candidate}: due heads. A replayed one waits for the claims of its aggregate that are older than it, which did not know
     *       of it. Looks up whether a handler is paused, because a busy stream may learn late that the registry has changed.
     *   <li>{@code due}: a crash suspect, under which two leases have expired, is claimed alone.
     *   <li>{@code following}: a head that has not failed brings the deliveries behind it along, so that the lane drains in batches. Behind
     *       one that has failed they would probably wait again.
     *   <li>{@code gap}: the first delivery that cannot be claimed, because it is locked, suspect, backing off or of an unknown type. Nothing
     *       is claimed from behind it.
     *   <li>{@code taken}: at most 8 MB of payloads, but at least one delivery: a prefix in the order of attempts, in which each lane is in
     *       order.
     *   <li>{@code ended}: the expired claim of a head ends for what follows it too, so that a late worker cannot go on behind it.
     * </ul>
     */
    static final String CLAIM_DUE = """
            WITH candidate AS MATERIALIZED (
                SELECT d.outbox_id, d.handler_id, d.aggregate_type, d.aggregate_id, d.aggregate_seq, d.retry_count,
                       d.next_retry_at, d.suspect, d.lock_token, h.event_types,
                       row_number() OVER (ORDER BY d.next_retry_at, d.outbox_id, d.handler_id) AS place
                  FROM unnest(:handler_ids::text[], :event_types::text[]) AS h (handler_id, event_types)
                 CROSS JOIN unnest('{f,t}'::boolean[]) AS kind (suspect)
                 CROSS JOIN LATERAL (SELECT d.outbox_id, d.handler_id, d.aggregate_type, d.aggregate_id, d.aggregate_seq,
                                            d.retry_count, d.next_retry_at, d.lock_token,
                                            kind.suspect
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.stream = :stream
                                        AND d.handler_id = h.handler_id
                                        AND d.status = 'DUE'
                                        AND (d.crash_count + (d.locked_until IS NOT NULL)::integer > 1) = kind.suspect
                                        AND greatest(d.next_retry_at, d.locked_until) < now()
                                        AND (h.event_types = '*' OR d.event_type = ANY (string_to_array(h.event_types, ',')))
                                        AND d.outbox_id <> ALL (:held)
                                        AND (:with_suspects OR NOT kind.suspect)
                                        AND (d.replay_id IS NULL
                                             OR NOT EXISTS (SELECT
                                                              FROM {schema}.outbox_claim c
                                                             WHERE c.stream = :stream
                                                               AND c.claimed_at <= d.created_at
                                                               AND {schema}.outbox_aggregate_hash(d.aggregate_type, d.aggregate_id)
                                                                   = ANY (c.aggregates)))
                                      ORDER BY greatest(d.next_retry_at, d.locked_until)
                                      LIMIT :batch_size
                                        FOR UPDATE SKIP LOCKED) d
                 WHERE EXISTS (SELECT FROM {schema}.outbox_stream s WHERE s.stream = :stream AND NOT s.paused)
                   AND NOT EXISTS (SELECT FROM {schema}.outbox_handler p WHERE p.id = h.handler_id AND p.paused)
                 ORDER BY place
                 LIMIT :batch_size
            ), due AS (
                SELECT c.outbox_id, c.handler_id, c.aggregate_type, c.aggregate_id, c.aggregate_seq, c.next_retry_at,
                       c.event_types, c.retry_count = 0 AND NOT c.suspect AS flows, c.lock_token
                  FROM candidate c
                 WHERE c.place = 1
                    OR NOT c.suspect AND NOT (SELECT top.suspect FROM candidate top WHERE top.place = 1)
            ), following AS MATERIALIZED (
                SELECT w.outbox_id, due.handler_id, due.aggregate_type, due.aggregate_id, w.aggregate_seq, due.next_retry_at
                  FROM due
                 CROSS JOIN LATERAL (SELECT d.outbox_id, d.aggregate_seq
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.aggregate_type = due.aggregate_type
                                        AND d.aggregate_id = due.aggregate_id
                                        AND d.handler_id = due.handler_id
                                        AND d.aggregate_seq > due.aggregate_seq
                                        AND d.status = 'WAITING'
                                        AND d.crash_count + (d.locked_until IS NOT NULL)::integer < 2
                                        AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp())
                                        AND (d.next_retry_at IS NULL OR d.next_retry_at <= clock_timestamp())
                                        AND (due.event_types = '*'
                                             OR d.event_type = ANY (string_to_array(due.event_types, ',')))
                                      ORDER BY d.aggregate_seq
                                      LIMIT :batch_size
                                        FOR UPDATE SKIP LOCKED) w
                 WHERE due.flows
                 LIMIT :followers
            ), gap AS (
                SELECT due.handler_id, due.aggregate_type, due.aggregate_id, g.aggregate_seq
                  FROM due
                 CROSS JOIN LATERAL (SELECT d.aggregate_seq
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.aggregate_type = due.aggregate_type
                                        AND d.aggregate_id = due.aggregate_id
                                        AND d.handler_id = due.handler_id
                                        AND d.aggregate_seq > due.aggregate_seq
                                        AND d.status = 'WAITING'
                                        AND (d.outbox_id, d.handler_id)
                                            NOT IN (SELECT f.outbox_id, f.handler_id FROM following f)
                                      ORDER BY d.aggregate_seq
                                      LIMIT 1) g
                 WHERE due.flows
            ), eligible AS (
                SELECT due.outbox_id, due.handler_id, due.aggregate_type, due.aggregate_id, due.aggregate_seq, due.next_retry_at
                  FROM due
                 UNION ALL
                SELECT l.outbox_id, l.handler_id, l.aggregate_type, l.aggregate_id, l.aggregate_seq, l.next_retry_at
                  FROM (SELECT f.outbox_id, f.handler_id, f.aggregate_type, f.aggregate_id, f.aggregate_seq, f.next_retry_at,
                               min(f.aggregate_seq) FILTER (WHERE f.outbox_id IS NULL)
                                   OVER (PARTITION BY f.handler_id, f.aggregate_type, f.aggregate_id) AS gap_seq
                          FROM (SELECT f.outbox_id, f.handler_id, f.aggregate_type, f.aggregate_id, f.aggregate_seq, f.next_retry_at
                                  FROM following f
                                 UNION ALL
                                SELECT NULL, gap.handler_id, gap.aggregate_type, gap.aggregate_id, gap.aggregate_seq, NULL
                                  FROM gap) f) l
                 WHERE l.outbox_id IS NOT NULL
                   AND (l.gap_seq IS NULL OR l.aggregate_seq < l.gap_seq)
            ), taken AS (
                SELECT sized.outbox_id, sized.handler_id, sized.next_retry_at
                  FROM (SELECT eligible.outbox_id, eligible.handler_id, eligible.next_retry_at,
                               row_number() OVER attempts AS place,
                               sum(o.bytes) OVER attempts AS bytes
                          FROM eligible
                         CROSS JOIN LATERAL (SELECT {schema}.outbox_payload_size(o.payload) AS bytes
                                               FROM {schema}.outbox o
                                              WHERE o.id = eligible.outbox_id
                                              LIMIT 1) o
                        WINDOW attempts AS (ORDER BY eligible.next_retry_at, eligible.aggregate_type, eligible.aggregate_id,
                                                     eligible.handler_id, eligible.aggregate_seq)) sized
                 WHERE sized.place = 1
                    OR sized.bytes <= 8388608
            ), claimed AS (
                UPDATE {schema}.outbox_delivery d
                   SET crash_count = d.crash_count + (d.locked_until IS NOT NULL)::integer,
                       locked_by = :worker,
                       lock_token = :token,
                       locked_until = clock_timestamp() + :lease * interval '1 millisecond',
                       attempt_count = d.attempt_count + 1,
                       last_attempt_at = clock_timestamp(),
                       failures = CASE WHEN d.locked_until IS NULL THEN d.failures ELSE {failures} END
                  FROM taken
                 WHERE d.outbox_id = taken.outbox_id
                   AND d.handler_id = taken.handler_id
                RETURNING d.outbox_id, d.handler_id, d.attempt_count, d.retry_count, d.crash_count, d.replay_id,
                          taken.next_retry_at
            ), ended AS (
                UPDATE {schema}.outbox_delivery d
                   SET crash_count = d.crash_count + 1,
                       failures = {failures},
                       locked_by = NULL,
                       lock_token = NULL,
                       locked_until = NULL
                  FROM (SELECT w.outbox_id, due.handler_id
                          FROM due
                         CROSS JOIN LATERAL (SELECT d.outbox_id, d.lock_token
                                               FROM {schema}.outbox_delivery d
                                              WHERE d.aggregate_type = due.aggregate_type
                                                AND d.aggregate_id = due.aggregate_id
                                                AND d.handler_id = due.handler_id
                                                AND d.aggregate_seq > due.aggregate_seq
                                                AND d.status = 'WAITING'
                                              ORDER BY d.aggregate_seq
                                              LIMIT :followers) w
                         WHERE due.lock_token IS NOT NULL
                           AND w.lock_token = due.lock_token
                           AND (w.outbox_id, due.handler_id) NOT IN (SELECT t.outbox_id, t.handler_id FROM taken t)) former
                 WHERE d.outbox_id = former.outbox_id
                   AND d.handler_id = former.handler_id
            )
            SELECT {envelope},
                   claimed.replay_id IS NOT NULL, claimed.handler_id, claimed.attempt_count, claimed.retry_count, claimed.crash_count
              FROM claimed
             CROSS JOIN LATERAL (SELECT * FROM {schema}.outbox o WHERE o.id = claimed.outbox_id LIMIT 1) o
             ORDER BY claimed.next_retry_at, o.aggregate_type, o.aggregate_id, claimed.handler_id, o.aggregate_seq
            """.replace("{failures}", FailureHistory.LEASE_EXPIRED);

    /**
     * Relies on outbox_delivery_pk, outbox_delivery_lane_head, outbox_delivery_lane_waiting and outbox_unpublished_pk. Runs for the dead
     * that let their lane pass, and then for the others: a lane must lose its old head before it gets a new one. A delivery whose lane has
     * another head by now, or earlier work, waits, and keeps its due time. Changes events by the places of their rows, which is safe only
     * because {@link LaneSql#LOCK_EVENTS} has locked them earlier in the transaction: no other can move them.
     */
    static final String RESCHEDULE =
            """
            WITH outcome AS (
                SELECT d.outbox_id, d.handler_id, r.kind, r.delay, r.code, r.error,
                       r.kind <> 'DEAD'
                       AND (EXISTS (SELECT
                                      FROM {schema}.outbox_delivery h
                                     WHERE h.aggregate_type = d.aggregate_type
                                       AND h.aggregate_id = d.aggregate_id
                                       AND h.handler_id = d.handler_id
                                       AND h.outbox_id <> d.outbox_id
                                       AND h.head)
                            OR coalesce((SELECT w.aggregate_seq
                                           FROM {schema}.outbox_delivery w
                                          WHERE w.aggregate_type = d.aggregate_type
                                            AND w.aggregate_id = d.aggregate_id
                                            AND w.handler_id = d.handler_id
                                            AND w.status = 'WAITING'
                                          ORDER BY w.aggregate_seq
                                          LIMIT 1) < d.aggregate_seq, false)) AS waits
                  FROM unnest(:outbox_ids::bigint[], :handler_ids::text[], :kinds::text[], :delays::bigint[], :codes::text[],
                              :errors::text[])
                       AS r (outbox_id, handler_id, kind, delay, code, error)
                  JOIN {schema}.outbox_delivery d ON d.outbox_id = r.outbox_id AND d.handler_id = r.handler_id
                 WHERE r.kind IN ({kinds})
                   AND d.lock_token = :token
                   AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = :incarnation)
                 ORDER BY d.outbox_id, d.handler_id
                   FOR UPDATE OF d
            ), failed AS (
                UPDATE {schema}.outbox_delivery d
                   SET status = CASE WHEN outcome.waits THEN 'WAITING'
                                     WHEN outcome.kind IN ('DEAD', 'BLOCKED') THEN 'DEAD'
                                     ELSE 'DUE' END,
                       head = outcome.kind <> 'DEAD' AND NOT outcome.waits,
                       next_retry_at = CASE WHEN outcome.kind IN ('FAILED', 'DEFERRED')
                                            THEN clock_timestamp() + outcome.delay * interval '1 millisecond' END,
                       retry_count = d.retry_count + (outcome.kind <> 'DEFERRED')::integer,
                       locked_by = NULL,
                       lock_token = NULL,
                       locked_until = NULL,
                       last_error_code = outcome.code,
                       last_error = outcome.error,
                       failures = {failures}
                  FROM outcome
                 WHERE d.outbox_id = outcome.outbox_id
                   AND d.handler_id = outcome.handler_id
                RETURNING d.outbox_id, d.handler_id, d.last_error_code, d.last_error,
                          (outcome.kind <> 'DEFERRED')::integer AS failures
            ), pass AS (
                SELECT outbox_id, max(failures) AS failures, max(last_error_code) AS code, max(last_error) AS error
                  FROM failed
                 GROUP BY outbox_id
            ), event AS (
                UPDATE {schema}.outbox_unpublished o
                   SET attempt_count = o.attempt_count + 1,
                       retry_count = o.retry_count + pass.failures,
                       last_attempt_at = clock_timestamp(),
                       last_error_code = pass.code,
                       last_error = pass.error
                  FROM pass
                 CROSS JOIN LATERAL (SELECT e.ctid AS place
                                       FROM {schema}.outbox_unpublished e
                                      WHERE e.id = pass.outbox_id
                                      LIMIT 1) e
                 WHERE o.ctid = e.place
            )
            SELECT outbox_id, handler_id
              FROM failed
            """.replace("{failures}", FailureHistory.appended("d.attempt_count", "outcome.code", "outcome.error"));

    private DeliverySql() {}
}
