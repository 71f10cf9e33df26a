-- A claim of first deliveries: one transaction in one round trip. Most claims leave out "last id" and "window".
-- To run it in psql, replace {schema}, {envelope} with o.*, and {expired} with the condition of LeaseStore; and \set the parameters.

-- result: last id
-- Runs before the transaction has an id of its own. Every event id up to this one then belongs to a transaction with a smaller id, because
-- publishers have their transaction id before they draw an event id.
SELECT set_config('outbox.last_id', (SELECT CASE WHEN q.is_called THEN q.last_value ELSE 0 END
                                       FROM {schema}.outbox_id_seq q)::text, true);

-- result: stream
-- Relies on outbox_stream_pk, outbox_unpublished_pending and outbox_handler_pause_end. Claims of a stream run one after the other, so that
-- the statements that follow see every earlier claim. Notes the stream that it locked: another instance may add the row after this statement,
-- and a claim without the lock would have no worker. Whether the queue is long is a hint: it has events far behind those that this instance
-- has claimed, or many before them, which other claims hold. Whether claims have expired is one too: another transaction ends them. The last
-- end of a handler's pause belongs to the version of the registry: no instance has to write it.
SELECT s.registry_version,
       coalesce((SELECT i.token FROM {schema}.outbox_incarnation i), {schema}.outbox_begin_incarnation()),
       extract(epoch FROM pg_postmaster_start_time())::text,
       s.paused_until <= now()
       AND ((SELECT o.id
               FROM {schema}.outbox_unpublished o
              WHERE (o.stream, o.id) > (:stream, least(greatest(s.low_water_mark, :from::bigint), 4611686018427387903) + :near::bigint)
                AND (o.stream, o.id) <= (:stream, 9223372036854775807)
                AND o.dispatched_at IS NULL
              ORDER BY o.stream, o.id
              LIMIT 1) IS NOT NULL
            OR ((:from::bigint - s.low_water_mark) / 4 > :near::bigint
                AND (SELECT o.id
                       FROM {schema}.outbox_unpublished o
                      WHERE (o.stream, o.id) >= (:stream, s.low_water_mark)
                        AND (o.stream, o.id) <= (:stream, :from::bigint)
                        AND o.dispatched_at IS NULL
                      ORDER BY o.stream, o.id
                     OFFSET :near::bigint
                      LIMIT 1) IS NOT NULL)),
       EXISTS (SELECT
                 FROM {schema}.outbox_claim c
                WHERE c.id >= s.first_claim
                  AND c.stream = :stream
                  AND {expired}),
       set_config('outbox.locked_stream', s.stream, true),
       (SELECT (extract(epoch FROM max(h.paused_until)) * 1000000)::bigint
          FROM {schema}.outbox_handler h
         WHERE isfinite(h.paused_until)
           AND h.paused_until <= now())
  FROM {schema}.outbox_stream s
 WHERE s.stream = :stream
   FOR UPDATE OF s;

-- result: sequences
-- Relies on outbox_stream_pk, outbox_claim_pk and the primary keys of both partitions. Takes the lock for none if a sequence lags behind ids
-- that the stream has seen and that are stored: its new events would overtake others. Runs after the lock, for which it would have waited with
-- an older value of the sequence.
SELECT set_config('outbox.locked_stream', '', true)
  FROM {schema}.outbox_stream s
 CROSS JOIN (SELECT q.last_value + q.is_called::integer AS next FROM {schema}.outbox_id_seq q) event
 CROSS JOIN (SELECT q.last_value + q.is_called::integer AS next FROM {schema}.outbox_claim_id_seq q) claim
 WHERE s.stream = :stream
   AND (s.next_mark >= event.next AND (SELECT max(o.id) FROM {schema}.outbox o) >= event.next
        OR s.first_claim > claim.next AND (SELECT max(c.id) FROM {schema}.outbox_claim c) >= claim.next);

-- result: window
-- Relies on outbox_stream_pk, outbox_unpublished_pending and outbox_claim_pk. Advances the claim window. Once no transaction before
-- next_horizon is running, no event up to next_mark can appear any more. A transaction that takes longer than a second is passed over: the
-- low-water mark then holds only as long as the same transactions are running, and claims start at the safe mark when one of them has
-- ended. The safe mark has a horizon of its own, which stays until all transactions before it have ended: where long transactions overlap,
-- some of them run before every younger one.
WITH stream AS MATERIALIZED (
    SELECT s.*,
           -- The window starts anew if its transaction ids lie ahead of this one, so that they come from another cluster, or if a
           -- sequence went back, behind what is gone.
           greatest(s.horizon, s.next_horizon) >= pg_current_xact_id()
           OR s.next_mark > (SELECT CASE WHEN q.is_called THEN q.last_value ELSE 0 END
                               FROM {schema}.outbox_id_seq q)
           OR s.first_claim > (SELECT q.last_value + q.is_called::integer FROM {schema}.outbox_claim_id_seq q) AS is_void,
           (SELECT count(*) FROM pg_snapshot_xip(pg_current_snapshot()) x WHERE x < s.horizon) AS running,
           (SELECT count(*) FROM pg_snapshot_xip(pg_current_snapshot()) x WHERE x < s.next_horizon) AS next_running,
           (SELECT count(*) FROM pg_snapshot_xip(pg_current_snapshot()) x WHERE x < s.next_safe_horizon) AS safe_running,
           clock_timestamp() - s.advanced_at AS age,
           pg_current_xact_id()::text::bigint - s.next_horizon::text::bigint AS transactions,
           -- By sessions, or by standbys that give feedback; this session's own snapshot shows prepared transactions.
           coalesce(greatest((SELECT max(age(a.backend_xmin)) FROM pg_stat_get_activity(NULL) a),
                             (SELECT max(age(r.xmin)) FROM pg_get_replication_slots() r)), 0) AS held_back,
           current_setting('outbox.last_id')::bigint AS last_id
      FROM {schema}.outbox_stream s
     WHERE s.stream = :stream
       AND s.stream = current_setting('outbox.locked_stream', true)
), due AS MATERIALIZED (
    SELECT stream.*,
           (SELECT o.id
              FROM {schema}.outbox_unpublished o
             WHERE (o.stream, o.id) >= (stream.stream, CASE WHEN stream.is_void OR :whole_queue THEN 0
                                                            WHEN stream.running = stream.open_writers
                                                            THEN stream.low_water_mark
                                                            ELSE stream.safe_mark END)
               AND (o.stream, o.id) <= (stream.stream, 9223372036854775807)
               AND o.dispatched_at IS NULL
             ORDER BY o.stream, o.id
             LIMIT 1) AS first
      FROM stream
     -- Only now and then, and more rarely the more transactions the oldest snapshot has seen: while it is held, every version of the row is
     -- read. The square root balances these versions with the dead index entries that claims read instead.
     WHERE stream.is_void
        OR ((stream.next_running = 0 OR stream.age NOT BETWEEN interval '0' AND interval '1 second')
            AND (stream.held_back < 10000 OR stream.transactions > 2 * sqrt(stream.held_back)))
), advanced AS (
    SELECT due.*,
           CASE WHEN due.is_void THEN 0 ELSE least(due.first, due.next_mark + 1) END AS new_low_water_mark,
           CASE WHEN due.is_void THEN 0
                WHEN due.next_running = 0 THEN least(due.first, due.next_mark + 1)
                WHEN due.safe_running = 0 THEN least(due.first, due.next_safe_mark + 1)
                ELSE least(due.first, due.safe_mark) END AS new_safe_mark,
           coalesce((SELECT c.id
                       FROM {schema}.outbox_claim c
                      WHERE c.id >= due.first_claim
                        AND c.stream = due.stream
                      ORDER BY c.id
                      LIMIT 1),
                    (SELECT q.last_value + q.is_called::integer FROM {schema}.outbox_claim_id_seq q)) AS new_first_claim
      FROM due
)
UPDATE {schema}.outbox_stream s
   SET low_water_mark = a.new_low_water_mark,
       safe_mark = a.new_safe_mark,
       horizon = CASE WHEN a.is_void THEN '0' ELSE a.next_horizon END,
       open_writers = CASE WHEN a.is_void THEN 0 ELSE a.next_running END,
       next_mark = a.last_id,
       next_horizon = pg_current_xact_id(),
       next_safe_mark = CASE WHEN a.is_void OR a.next_running = 0 THEN a.last_id
                             WHEN a.safe_running = 0 THEN a.next_mark
                             ELSE a.next_safe_mark END,
       next_safe_horizon = CASE WHEN a.is_void OR a.next_running = 0 THEN pg_current_xact_id()
                                WHEN a.safe_running = 0 THEN a.next_horizon
                                ELSE a.next_safe_horizon END,
       first_claim = CASE WHEN a.is_void THEN 0 ELSE a.new_first_claim END,
       advanced_at = clock_timestamp()
  FROM advanced a
 WHERE s.stream = a.stream
   AND (s.low_water_mark, s.safe_mark, s.open_writers, s.next_mark)
       IS DISTINCT FROM (a.new_low_water_mark, a.new_safe_mark, a.next_running, a.last_id);

-- result: claim
-- Relies on outbox_stream_pk and outbox_unpublished_pending: the snapshot of the claim decides where it starts. Notes when it began, after the
-- wait for the stream.
WITH start AS MATERIALIZED (
    SELECT CASE WHEN :whole_queue THEN 0
                WHEN s.open_writers = (SELECT count(*) FROM pg_snapshot_xip(pg_current_snapshot()) x WHERE x < s.horizon)
                THEN s.low_water_mark
                ELSE s.safe_mark END AS id,
           s.first_claim,
           set_config('outbox.claim_began', statement_timestamp()::text, true)
      FROM {schema}.outbox_stream s
     WHERE s.stream = :stream
       AND s.stream = current_setting('outbox.locked_stream', true)
       AND s.paused_until <= now()
), first AS MATERIALIZED (
    SELECT (SELECT o.id
              FROM {schema}.outbox_unpublished o
             WHERE (o.stream, o.id) >= (:stream, (SELECT start.id FROM start))
               AND (o.stream, o.id) <= (:stream, 9223372036854775807)
               AND o.dispatched_at IS NULL
             ORDER BY o.stream, o.id
             LIMIT 1) AS id
), oldest AS MATERIALIZED (
    -- Relies on outbox_unpublished_pending, in its order. The comparisons of pairs keep the planner from the primary key, in whose order it
    -- would read every dispatched event that waits. Reads as many events as ScanLimit says: what other claims hold may be a single long
    -- aggregate.
    SELECT o.id,
           o.row,
           {schema}.outbox_aggregate_hash(o.aggregate_type, o.aggregate_id) AS aggregate,
           CASE WHEN :alone OR o.attempt_count > 1 THEN 0 ELSE {schema}.outbox_payload_size(o.payload) END AS bytes
      FROM (SELECT o.stream, o.id, o.ctid AS row, o.aggregate_type, o.aggregate_id, o.attempt_count, o.payload
              FROM {schema}.outbox_unpublished o
             WHERE (o.stream, o.id) >= (:stream, (SELECT first.id FROM first))
               AND (o.stream, o.id) <= (:stream, 9223372036854775807)
               AND o.dispatched_at IS NULL
             ORDER BY o.stream, o.id
             LIMIT :depth::bigint) o
     WHERE {schema}.outbox_aggregate_hash(o.aggregate_type, o.aggregate_id)
           NOT IN (SELECT unnest(c.aggregates)
                     FROM {schema}.outbox_claim c
                    WHERE c.id >= (SELECT start.first_claim FROM start)
                      AND c.stream = :stream
                    UNION ALL
                   SELECT unnest(:left_out::bigint[]))
     ORDER BY o.stream, o.id
     LIMIT :batch_size
), locked AS MATERIALIZED (
    -- Locks the rows by their addresses. What is not locked is held by another session, or has changed since the statement began: the
    -- events that follow it in its aggregate are left out. Filters by status: with dispatched_at, statistics of an empty queue would lead
    -- to outbox_unpublished_pending.
    SELECT o.id
      FROM {schema}.outbox_unpublished o
     WHERE o.ctid = ANY (ARRAY(SELECT oldest.row FROM oldest))
       AND o.status = 'PENDING'
       FOR UPDATE OF o SKIP LOCKED
), skipped AS MATERIALIZED (
    SELECT oldest.aggregate, min(oldest.id) AS id
      FROM oldest
     WHERE oldest.id NOT IN (SELECT locked.id FROM locked)
     GROUP BY oldest.aggregate
), cut AS MATERIALIZED (
    SELECT CASE WHEN (SELECT sum(oldest.bytes) FROM oldest) < :most_bytes::bigint THEN 9223372036854775807
                ELSE (SELECT max(b.id)
                        FROM (SELECT oldest.id, sum(oldest.bytes) OVER (ORDER BY oldest.id) - oldest.bytes AS bytes_before
                                FROM oldest) b
                       WHERE b.bytes_before < :most_bytes::bigint) END AS id
), claimable AS MATERIALIZED (
    -- Leaves events out by comparing ids, never by a join: the queue may have been empty when its statistics were taken.
    SELECT oldest.id, oldest.aggregate
      FROM oldest
     WHERE oldest.id <= (SELECT cut.id FROM cut)
       AND (oldest.aggregate NOT IN (SELECT skipped.aggregate FROM skipped)
            OR oldest.id < (SELECT skipped.id FROM skipped WHERE skipped.aggregate = oldest.aggregate))
), claim AS (
    INSERT INTO {schema}.outbox_claim (token, incarnation, stream, worker, locked_until, event_ids, aggregates)
    SELECT :token, (SELECT i.token FROM {schema}.outbox_incarnation i), :stream, :worker, clock_timestamp() + :lease * interval '1 millisecond', ids.event_ids, ids.aggregates
      FROM (SELECT array_agg(c.id ORDER BY c.id) AS event_ids, array_agg(DISTINCT c.aggregate) AS aggregates
              FROM claimable c) ids
     WHERE ids.event_ids IS NOT NULL
    RETURNING id
)
-- Relies on outbox_lane_pk for the blocked handlers, and on outbox_unpublished_pk: looking the events up again is cheaper than keeping them
-- in memory. The first skipped event of each aggregate comes back too, with the aggregate. The payload of a crash suspect, which waits for its
-- handlers in their lanes, and that of an event that is claimed alone are not read: they may be what the process cannot read.
SELECT {envelope}, o.attempt_count,
       (SELECT string_agg(l.handler_id, chr(31))
          FROM {schema}.outbox_lane l
         WHERE l.aggregate_type = o.aggregate_type AND l.aggregate_id = o.aggregate_id),
       CASE WHEN o.id IN (SELECT skipped.id FROM skipped)
            THEN {schema}.outbox_aggregate_hash(o.aggregate_type, o.aggregate_id) END,
       (SELECT claim.id FROM claim),
       (SELECT max(oldest.id) FROM oldest) > (SELECT cut.id FROM cut)
  FROM {schema}.outbox_unpublished o
 WHERE o.id = ANY (ARRAY(SELECT claimable.id FROM claimable UNION ALL SELECT skipped.id FROM skipped))
 ORDER BY o.id;
