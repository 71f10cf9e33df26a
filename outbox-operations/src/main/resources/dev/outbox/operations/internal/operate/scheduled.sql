-- Scheduled events of operators, in transactions of the outbox.
-- To run it in psql, replace {schema}, and \set the parameters.

-- result: next
-- Relies on outbox_scheduled_due: the first ones of each stream.
SELECT s.event_id, s.stream, s.aggregate_type, s.aggregate_id, s.key, s.event_type, s.due_at, s.last_error
  FROM streams
 CROSS JOIN LATERAL (SELECT s.event_id, s.stream, s.aggregate_type, s.aggregate_id, s.key, s.event_type, s.due_at, s.last_error
                       FROM {schema}.outbox_scheduled s
                      WHERE s.stream = streams.stream
                      ORDER BY s.due_at, s.event_id
                      LIMIT :limit) s
 ORDER BY s.due_at, s.event_id
 LIMIT :limit;

-- result: of aggregates
-- Relies on outbox_scheduled_key.
SELECT s.event_id, s.stream, s.aggregate_type, s.aggregate_id, s.key, s.event_type, s.due_at, s.last_error
  FROM {schema}.outbox_scheduled s
 WHERE (:aggregate_type::text IS NULL OR s.aggregate_type = :aggregate_type)
   AND (:aggregate_id::text IS NULL OR s.aggregate_id = :aggregate_id)
 ORDER BY s.due_at, s.event_id
 LIMIT :limit;

-- result: lock
-- Relies on outbox_scheduled_pk and outbox_aggregate_pk.
SELECT a.last_seq
  FROM {schema}.outbox_scheduled s
  JOIN {schema}.outbox_aggregate a USING (aggregate_type, aggregate_id)
 WHERE s.event_id = :event_id
   FOR UPDATE OF a;

-- result: deliver now
-- Relies on outbox_scheduled_pk.
WITH changed AS (
    UPDATE {schema}.outbox_scheduled s
       SET due_at = clock_timestamp()
     WHERE s.event_id = :event_id
       AND s.due_at > clock_timestamp()
    RETURNING s.event_id, s.stream
)
INSERT INTO {schema}.outbox_operation (performed_by, action, reason, stream, event_id)
SELECT :actor, 'DELIVER_NOW', :reason, changed.stream, changed.event_id
  FROM changed;

-- result: cancel
-- Relies on outbox_scheduled_pk.
WITH cancelled AS (
    DELETE FROM {schema}.outbox_scheduled s
     WHERE s.event_id = :event_id
    RETURNING s.event_id, s.stream
)
INSERT INTO {schema}.outbox_operation (performed_by, action, reason, stream, event_id)
SELECT :actor, 'CANCEL_SCHEDULED', :reason, cancelled.stream, cancelled.event_id
  FROM cancelled;
