-- Erasure, in transactions of the outbox. An event is delivered if it is in history and has no delivery, open or dead.
-- To run it in psql, replace {schema}, {scheduled}, {table}, {event_id} and {archive}; and \set the parameters.

-- result: undelivered
-- Planned with its values. Relies on outbox_unpublished_aggregate, outbox_unpublished_event_id, outbox_published_event_id, outbox_delivery_pk,
-- outbox_delivery_lane, outbox_delivery_lane_dead, outbox_scheduled_key and outbox_scheduled_pk.
SELECT (SELECT count(*)
          FROM ((SELECT o.id
                   FROM {schema}.outbox_unpublished o
                  WHERE (:event_ids::uuid[] IS NULL OR o.event_id = ANY (:event_ids::uuid[]))
                    AND (:aggregate_id::text IS NULL OR o.aggregate_type = :aggregate_type AND o.aggregate_id = :aggregate_id)
                  LIMIT :most)
                 UNION
                (SELECT d.outbox_id
                   FROM {schema}.outbox o
                   JOIN {schema}.outbox_delivery d ON d.outbox_id = o.id
                  WHERE o.event_id = ANY (:event_ids::uuid[]))
                 UNION
                (SELECT d.outbox_id
                   FROM {schema}.outbox_delivery d
                  WHERE d.aggregate_type = :aggregate_type
                    AND d.aggregate_id = :aggregate_id
                    AND d.status <> 'DEAD'
                  LIMIT :most)
                 UNION
                (SELECT d.outbox_id
                   FROM {schema}.outbox_delivery d
                  WHERE d.aggregate_type = :aggregate_type
                    AND d.aggregate_id = :aggregate_id
                    AND d.status = 'DEAD'
                  LIMIT :most)) open),
       (SELECT count(*) FROM ({scheduled}) scheduled);

-- result: scheduled
-- Relies on outbox_scheduled_key and outbox_scheduled_pk.
SELECT s.event_id, s.aggregate_type, s.aggregate_id
  FROM {schema}.outbox_scheduled s
 WHERE (:event_ids::uuid[] IS NULL OR s.event_id = ANY (:event_ids::uuid[]))
   AND (:aggregate_id::text IS NULL OR s.aggregate_type = :aggregate_type AND s.aggregate_id = :aggregate_id)
 ORDER BY s.event_id
 LIMIT :most;

-- result: lock counters
-- Relies on outbox_aggregate_pk. Who changes the scheduled events of an aggregate holds the lock of its counter.
SELECT a.last_seq
  FROM {schema}.outbox_aggregate a
 WHERE (a.aggregate_type, a.aggregate_id) IN (SELECT s.aggregate_type, s.aggregate_id FROM ({scheduled}) s)
 ORDER BY a.aggregate_type, a.aggregate_id
   FOR UPDATE;

-- result: cancel
-- Relies on outbox_scheduled_pk.
WITH cancelled AS (
    DELETE FROM {schema}.outbox_scheduled s
     WHERE s.event_id = ANY (ARRAY(SELECT s.event_id FROM ({scheduled}) s))
    RETURNING s.event_id, s.stream
)
INSERT INTO {schema}.outbox_operation (performed_by, action, reason, command_id, stream, event_id)
SELECT :actor, 'CANCEL_SCHEDULED', :reason, :command::bigint, cancelled.stream, cancelled.event_id
  FROM cancelled;

-- result: page
-- Relies on the primary keys of the partitions, or of the archive: no index of history knows the aggregate. Finds what is not erased in a
-- window of events, and where the next one begins, if this one is full.
SELECT CASE WHEN count(*) = :window THEN max(read.id) END,
       array_agg(read.event_id::text) FILTER (WHERE read.aggregate_type = :aggregate_type
                                                AND read.aggregate_id = :aggregate_id
                                                AND read.erased_at IS NULL)
  FROM (SELECT o.id, o.{event_id} AS event_id, o.aggregate_type, o.aggregate_id, o.erased_at
          FROM {table} o
         WHERE o.id > :after
         ORDER BY o.id
         LIMIT :window) read;

-- result: lock history
-- Until the transaction ends, no replay adds a delivery to an event.
SELECT pg_advisory_xact_lock_shared(hashtextextended('outbox history of {schema}', 0));

-- result: erase
-- Relies on outbox_unpublished_event_id, outbox_published_event_id, outbox_published_pk and outbox_delivery_pk. Returns how many events it
-- erased, and how many are not delivered.
WITH found AS MATERIALIZED (
    SELECT o.id,
           o.published_at IS NOT NULL
           AND (SELECT d.outbox_id FROM {schema}.outbox_delivery d WHERE d.outbox_id = o.id LIMIT 1) IS NULL AS delivered
      FROM {schema}.outbox o
     WHERE o.event_id = ANY (:event_ids::uuid[])
       AND o.erased_at IS NULL
), erased AS (
    UPDATE {schema}.outbox o
       SET payload = '{}',
           headers = '{}',
           last_error = NULL,
           failures = NULL,
           erased_at = clock_timestamp()
     WHERE o.id = ANY (ARRAY(SELECT found.id FROM found WHERE found.delivered))
       AND o.published_at IS NOT NULL
       AND o.erased_at IS NULL
    RETURNING o.event_id, o.stream
), recorded AS (
    INSERT INTO {schema}.outbox_operation (performed_by, action, reason, command_id, stream, event_id)
    SELECT :actor, 'ERASE', :reason, :command::bigint, erased.stream, erased.event_id
      FROM erased
)
SELECT (SELECT count(*) FROM erased), (SELECT count(*) FROM found WHERE NOT found.delivered);

-- result: erase archived
-- Relies on events_outbox_event_id. Follows "erase", which waits for a retention that has locked an event, and then does not find it.
WITH erased AS (
    UPDATE {archive}.events e
       SET payload = '{}',
           headers = '{}',
           erased_at = clock_timestamp()
     WHERE e.outbox_event_id = ANY (:event_ids::uuid[])
       AND e.erased_at IS NULL
    RETURNING e.outbox_event_id, e.stream
), recorded AS (
    INSERT INTO {schema}.outbox_operation (performed_by, action, reason, command_id, stream, event_id)
    SELECT :actor, 'ERASE', :reason, :command::bigint, erased.stream, erased.outbox_event_id
      FROM erased
)
SELECT count(*)
  FROM erased;

-- result: erase errors
-- Relies on outbox_operation_event, outbox_unpublished_event_id and outbox_published_event_id.
UPDATE {schema}.outbox_operation p
   SET last_error = NULL
 WHERE p.event_id = ANY (:event_ids::uuid[])
   AND p.last_error IS NOT NULL
   AND (SELECT o.id FROM {schema}.outbox o WHERE o.event_id = p.event_id AND o.erased_at IS NULL LIMIT 1) IS NULL;
