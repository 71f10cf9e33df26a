-- Settles redeliveries. The transaction of DeliverySettlementStore runs, in this order:
--   LaneSql.LOCK_CLAIMED_EVENTS  locks the claim, and the rows of the events
--   LaneSql.LOCK_CLAIMED_LANES   locks their lanes
--   settled                      (below) removes, reschedules or gives up the deliveries, and changes their events or moves them to history
--   LaneSql.RELEASE              frees the lanes, and sets first_seq and due_at of them, or deletes them; the last ends the claim
-- To run it in psql, replace {schema}, {into history} with LaneSql.INTO_HISTORY, and {held} with the condition of ClaimKey; and \set the
-- parameters.

-- result: settled
-- Relies on outbox_delivery_pk, outbox_lane_pk, outbox_claim_pk and outbox_unpublished_pk. Removes deliveries that succeeded, and reschedules or gives up
-- the others; DeadLetterReporter finds those that are dead by the default of report_at. Writes each event once. Changes rows by their places,
-- which is safe only because no other transaction can move what this one has locked.
WITH claim AS MATERIALIZED (
    SELECT c.worker FROM {schema}.outbox_claim c WHERE {held}
), held AS MATERIALIZED (
    SELECT d.place, r.kind, r.delay, r.code, r.error, r.details
      FROM unnest(:outbox_ids::bigint[], :handler_ids::text[], :kinds::text[], :delays::bigint[], :codes::text[],
                  :errors::text[], :details::text[])
           AS r (outbox_id, handler_id, kind, delay, code, error, details)
     CROSS JOIN LATERAL (SELECT d.ctid AS place, d.aggregate_type, d.aggregate_id, d.handler_id, d.status
                           FROM {schema}.outbox_delivery d
                          WHERE d.outbox_id = r.outbox_id
                            AND d.handler_id = r.handler_id
                          LIMIT 1) d
     WHERE d.status = 'OPEN'
       AND (SELECT l.claim_id
              FROM {schema}.outbox_lane l
             WHERE l.aggregate_type = d.aggregate_type AND l.aggregate_id = d.aggregate_id AND l.handler_id = d.handler_id
             LIMIT 1) = :claim
       AND EXISTS (SELECT FROM claim)
), removed AS (
    DELETE FROM {schema}.outbox_delivery d
     USING held
     WHERE held.kind = 'SUCCEEDED'
       AND d.ctid = held.place
    RETURNING d.outbox_id, d.handler_id, d.failures
), failed AS (
    UPDATE {schema}.outbox_delivery d
       SET status = CASE held.kind WHEN 'DEAD' THEN 'DEAD' WHEN 'BLOCKED' THEN 'BLOCKING' ELSE 'OPEN' END,
           next_retry_at = CASE held.kind WHEN 'BLOCKED' THEN 'infinity' WHEN 'DEAD' THEN NULL
                                          ELSE clock_timestamp() + held.delay * interval '1 millisecond' END,
           attempt_count = d.attempt_count + 1,
           retry_count = d.retry_count + (held.kind <> 'DEFERRED')::integer,
           last_attempt_at = clock_timestamp(),
           last_error_code = held.code,
           last_error = held.error,
           failures = {schema}.outbox_add_failure(d.failures, d.attempt_count + 1, held.code, held.error,
                                                  (SELECT claim.worker FROM claim), held.details::jsonb)
      FROM held
     WHERE held.kind <> 'SUCCEEDED'
       AND d.ctid = held.place
    RETURNING d.outbox_id, d.handler_id, d.last_error_code, d.last_error, d.status, d.next_retry_at,
              (held.kind <> 'DEFERRED')::integer AS failures
), pass AS (
    -- The failures of a delivery that ends stay with its event.
    SELECT outbox_id, array_agg(handler_id) AS handlers,
           count(*) FILTER (WHERE status = 'OPEN') AS open,
           count(*) FILTER (WHERE status <> 'OPEN') AS dead,
           max(failures) AS failures, max(code) AS code, max(error) AS error,
           min(next_retry_at) FILTER (WHERE status = 'OPEN') AS next_retry_at,
           jsonb_object_agg(handler_id, history) FILTER (WHERE history <> '[]') AS histories
      FROM (SELECT outbox_id, handler_id, failures, last_error_code AS code, last_error AS error, status, next_retry_at,
                   NULL::jsonb AS history
              FROM failed
             UNION ALL
            SELECT outbox_id, handler_id, NULL, NULL, NULL, NULL, NULL, failures
              FROM removed) ended
     GROUP BY outbox_id
), event AS (
    SELECT o.place, o.id, o.event_id, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type,
           o.schema_version, o.payload, o.headers, o.occurred_at, o.dispatched_at, o.skipped_handlers,
           o.attempt_count + (pass.failures IS NOT NULL)::integer AS attempt_count,
           o.retry_count + coalesce(pass.failures, 0) AS retry_count,
           coalesce(pass.code, o.last_error_code) AS last_error_code,
           coalesce(pass.error, o.last_error) AS last_error,
           coalesce(coalesce(o.failures, '{}') || pass.histories, o.failures) AS failures,
           CASE WHEN pass.failures IS NULL THEN o.last_attempt_at ELSE clock_timestamp() END AS last_attempt_at,
           CASE WHEN o.status = 'PENDING' THEN 'PENDING'
                WHEN rest.open + pass.open > 0 THEN 'RETRYING'
                WHEN rest.dead + pass.dead > 0 THEN 'DEAD'
                ELSE 'PUBLISHED' END AS status,
           least(rest.next_retry_at, pass.next_retry_at) AS next_retry_at,
           o.status AS former_status, o.next_retry_at AS former_retry_at,
           pass.failures IS NOT NULL OR pass.histories IS NOT NULL AS changes
      FROM pass
     CROSS JOIN LATERAL (SELECT o.*, o.ctid AS place
                           FROM {schema}.outbox_unpublished o
                          WHERE o.id = pass.outbox_id
                          LIMIT 1) o
     CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE d.status = 'OPEN') AS open,
                                count(*) FILTER (WHERE d.status <> 'OPEN') AS dead,
                                min(d.next_retry_at) FILTER (WHERE d.status = 'OPEN') AS next_retry_at
                           FROM {schema}.outbox_delivery d
                          WHERE d.outbox_id = pass.outbox_id
                            AND d.handler_id <> ALL (pass.handlers)) rest
), history AS (
{into history}
      FROM event o
     WHERE o.status = 'PUBLISHED'
), moved AS (
    DELETE FROM {schema}.outbox_unpublished o
     USING event
     WHERE o.ctid = event.place
       AND event.status = 'PUBLISHED'
), kept AS (
    UPDATE {schema}.outbox_unpublished o
       SET attempt_count = event.attempt_count,
           retry_count = event.retry_count,
           last_error_code = event.last_error_code,
           last_error = event.last_error,
           failures = event.failures,
           last_attempt_at = event.last_attempt_at,
           status = event.status,
           next_retry_at = event.next_retry_at
      FROM event
     WHERE o.ctid = event.place
       AND event.status <> 'PUBLISHED'
       AND (event.changes OR event.status <> event.former_status OR event.next_retry_at IS DISTINCT FROM event.former_retry_at)
)
SELECT retry_count FROM event WHERE status IN ('PUBLISHED', 'DEAD');
