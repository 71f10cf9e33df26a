-- Settles redeliveries. The transaction of DeliverySettlementStore runs, in this order:
--   LaneSql.LOCK_EVENTS  locks the rows of their events
--   LaneSql.LOCK_HELD    locks the lanes that their worker still holds
--   settled              (below) removes, reschedules or gives up the deliveries
--   LaneSql.RELEASE      ends the leases, and sets first_seq and due_at of the lanes, or deletes them
--   LaneSql.COMPLETE     sets the status of the events, or moves them to history
-- To run it in psql, replace {schema}, and {incarnation lasts} with the condition of Fence; and \set the parameters.

-- result: settled
-- Relies on outbox_delivery_pk, outbox_lane_pk and outbox_unpublished_pk. Removes deliveries that succeeded, and reschedules or gives up
-- the others; DeadLetterReporter finds those that are dead by the default of report_at. Changes rows by their places, which is safe only
-- because no other transaction can move what this one has locked.
WITH held AS MATERIALIZED (
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
       AND (SELECT l.token
              FROM {schema}.outbox_lane l
             WHERE l.aggregate_type = d.aggregate_type AND l.aggregate_id = d.aggregate_id AND l.handler_id = d.handler_id
             LIMIT 1) = :token
       AND {incarnation lasts}
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
           -- As FailureHistory appends.
           failures = CASE WHEN held.code IS NULL THEN d.failures
                           ELSE CASE WHEN jsonb_array_length(d.failures) < 10 THEN d.failures ELSE d.failures - 1 END
                                || (jsonb_build_object('attempt', d.attempt_count + 1, 'at', clock_timestamp(), 'code', held.code,
                                                      'message', coalesce(left(held.error, 500), ''),
                                                      'worker', (SELECT l.worker
                                                                   FROM {schema}.outbox_lane l
                                                                  WHERE l.aggregate_type = d.aggregate_type
                                                                    AND l.aggregate_id = d.aggregate_id
                                                                    AND l.handler_id = d.handler_id
                                                                  LIMIT 1))
                                || coalesce(held.details::jsonb, '{}')) END
      FROM held
     WHERE held.kind <> 'SUCCEEDED'
       AND d.ctid = held.place
    RETURNING d.outbox_id, d.handler_id, d.last_error_code, d.last_error, d.status, d.next_retry_at,
              (held.kind <> 'DEFERRED')::integer AS failures
), pass AS (
    -- The failures of a delivery that ends stay with its event.
    SELECT outbox_id, max(failures) AS failures, max(code) AS code, max(error) AS error,
           min(next_retry_at) FILTER (WHERE status = 'OPEN') AS next_retry_at,
           jsonb_object_agg(handler_id, history) FILTER (WHERE history IS NOT NULL) AS histories
      FROM (SELECT outbox_id, handler_id, failures, last_error_code AS code, last_error AS error, status, next_retry_at,
                   NULL::jsonb AS history
              FROM failed
             UNION ALL
            SELECT outbox_id, handler_id, NULL, NULL, NULL, NULL, NULL, failures
              FROM removed
             WHERE failures <> '[]') ended
     GROUP BY outbox_id
), event AS (
    UPDATE {schema}.outbox_unpublished o
       SET attempt_count = o.attempt_count + (pass.failures IS NOT NULL)::integer,
           retry_count = o.retry_count + coalesce(pass.failures, 0),
           next_retry_at = CASE WHEN pass.failures IS NULL THEN o.next_retry_at ELSE pass.next_retry_at END,
           last_attempt_at = CASE WHEN pass.failures IS NULL THEN o.last_attempt_at ELSE clock_timestamp() END,
           last_error_code = coalesce(pass.code, o.last_error_code),
           last_error = coalesce(pass.error, o.last_error),
           failures = coalesce(coalesce(o.failures, '{}') || pass.histories, o.failures)
      FROM pass
     CROSS JOIN LATERAL (SELECT e.ctid AS place
                           FROM {schema}.outbox_unpublished e
                          WHERE e.id = pass.outbox_id
                          LIMIT 1) e
     WHERE o.ctid = e.place
)
SELECT outbox_id, handler_id FROM removed
 UNION ALL
SELECT outbox_id, handler_id FROM failed;
