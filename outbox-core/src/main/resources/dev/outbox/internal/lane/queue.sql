-- Queues the outcomes of first deliveries, in the transaction that settles their claim.
-- To run it in psql, replace {schema}, and {held} with the condition of ClaimKey; and \set the parameters.

-- result: queued
-- Relies on outbox_unpublished_pk, outbox_claim_pk and outbox_lane_pk.
WITH queued AS MATERIALIZED (
    SELECT o.id, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type, o.headers, q.handler_id, q.kind,
           q.code, q.error, q.details, q.kept,
           -- What is awaited has been attempted since its claim.
           CASE WHEN q.kind = 'BLOCKED' THEN 'infinity'
                WHEN q.kind = 'DEAD' THEN NULL
                WHEN q.kept THEN (SELECT c.claimed_at FROM {schema}.outbox_claim c WHERE {held})
                ELSE clock_timestamp() + q.delay * interval '1 millisecond' END AS next_retry_at
      FROM unnest(:queued_events::bigint[], :queued_handlers::text[], :kinds::text[], :delays::bigint[],
                  :codes::text[], :errors::text[], :details::text[], :kept::text[]::boolean[])
           AS q (id, handler_id, kind, delay, code, error, details, kept)
     CROSS JOIN LATERAL (SELECT * FROM {schema}.outbox_unpublished o WHERE o.id = q.id LIMIT 1) o
     WHERE o.dispatched_at IS NULL
       AND EXISTS (SELECT
                     FROM {schema}.outbox_claim c
                    WHERE {held})
), lane AS (
    -- Locks the lanes, in the order of all transactions, by inserting them. The claim keeps a lane in which an outcome comes later, also one
    -- that a replay or an operator has opened meanwhile. A lane that is there keeps its state otherwise, unless the application gave the
    -- event a sequence in front of its first delivery.
    INSERT INTO {schema}.outbox_lane AS l (aggregate_type, aggregate_id, handler_id, stream, first_seq, due_at, claim_id)
    SELECT DISTINCT ON (q.aggregate_type, q.aggregate_id, q.handler_id COLLATE "C")
           q.aggregate_type, q.aggregate_id, q.handler_id, q.stream, q.aggregate_seq, q.next_retry_at,
           CASE WHEN bool_or(q.kept) OVER (PARTITION BY q.aggregate_type, q.aggregate_id, q.handler_id) THEN :claim::bigint END
      FROM queued q
     WHERE q.kind <> 'DEAD'
     ORDER BY q.aggregate_type, q.aggregate_id, q.handler_id COLLATE "C", q.aggregate_seq
    ON CONFLICT (aggregate_type, aggregate_id, handler_id) DO UPDATE
       SET first_seq = least(l.first_seq, excluded.first_seq),
           due_at = CASE WHEN l.claim_id IS NULL AND excluded.first_seq < l.first_seq THEN excluded.due_at ELSE l.due_at END,
           crash_count = CASE WHEN excluded.first_seq < l.first_seq THEN least(l.crash_count, (l.claim_id IS NULL)::integer)
                              ELSE l.crash_count END,
           claim_id = coalesce(l.claim_id, excluded.claim_id)
), delivery AS (
    INSERT INTO {schema}.outbox_delivery
           (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, source, status,
            attempt_count, retry_count, next_retry_at, last_attempt_at, last_error_code, last_error, failures)
    SELECT id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, {schema}.outbox_source(headers),
           CASE kind WHEN 'DEAD' THEN 'DEAD' WHEN 'BLOCKED' THEN 'BLOCKING' ELSE 'OPEN' END,
           (kind <> 'QUEUED')::integer,
           (kind NOT IN ('QUEUED', 'DEFERRED'))::integer,
           next_retry_at,
           CASE WHEN kind <> 'QUEUED' THEN clock_timestamp() END,
           code, error,
           {schema}.outbox_add_failure('[]', (kind <> 'QUEUED')::integer, code, error,
                                       (SELECT c.worker FROM {schema}.outbox_claim c WHERE {held}), details::jsonb)
      FROM queued
    RETURNING outbox_id, status, retry_count, next_retry_at, last_error_code, last_error
), pass AS (
    SELECT outbox_id,
           bool_or(status = 'OPEN') AS open,
           max(retry_count) AS failed,
           min(next_retry_at) FILTER (WHERE status = 'OPEN') AS next_retry_at,
           max(last_error_code) AS code,
           max(last_error) AS error
      FROM delivery
     GROUP BY outbox_id
)
UPDATE {schema}.outbox_unpublished o
   SET status = CASE WHEN pass.open THEN 'RETRYING' ELSE 'DEAD' END,
       dispatched_at = clock_timestamp(),
       attempt_count = o.attempt_count + 1,
       retry_count = o.retry_count + pass.failed,
       next_retry_at = pass.next_retry_at,
       last_attempt_at = clock_timestamp(),
       last_error_code = coalesce(pass.code, o.last_error_code),
       last_error = coalesce(pass.error, o.last_error)
  FROM pass
 WHERE o.id = pass.outbox_id
   AND o.id = ANY (ARRAY(SELECT pass.outbox_id FROM pass));
