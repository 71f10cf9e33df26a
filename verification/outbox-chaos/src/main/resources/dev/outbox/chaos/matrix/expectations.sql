-- What retention must remove and keep, and what an erasure must erase and keep. Each view is empty if the promises hold.

-- Rows that retention may meet: the operations and replays that chaos.age() adds, and everything that it makes old.
CREATE TABLE chaos.retained (
    kind   text    NOT NULL,
    id     text    NOT NULL,
    is_old boolean NOT NULL,
    PRIMARY KEY (kind, id)
);

-- Adds young rows and makes earlier ones old: ids are in the order of times.
CREATE FUNCTION chaos.age() RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
    long_ago timestamptz := now() - interval '2 hours';
BEGIN
    WITH aged AS (
        UPDATE events.outbox_operation SET performed_at = long_ago RETURNING id
    )
    UPDATE chaos.retained r SET is_old = true FROM aged WHERE r.kind = 'operation' AND r.id = aged.id::text;
    WITH added AS (
        INSERT INTO events.outbox_operation (performed_by, action, reason)
        SELECT 'scenario', 'RESUME_STREAM', 'an example' FROM generate_series(1, 6)
        RETURNING id
    )
    INSERT INTO chaos.retained SELECT 'operation', id, false FROM added;

    WITH aged AS (
        UPDATE events.outbox_replay SET created_at = long_ago, finished_at = long_ago RETURNING id
    )
    UPDATE chaos.retained r SET is_old = true FROM aged WHERE r.kind = 'replay' AND r.id = aged.id::text;
    WITH added AS (
        INSERT INTO events.outbox_replay (handler_id, rate, up_to_id, requested_by, reason, finished_at)
        SELECT 'ship', 1, 0, 'scenario', 'an example', now() FROM generate_series(1, 6)
        RETURNING id
    )
    INSERT INTO chaos.retained SELECT 'replay', id, false FROM added;

    WITH added AS (
        INSERT INTO events.processed_event (event_id, handler_id, processed_at)
        SELECT gen_random_uuid(), 'book', long_ago FROM generate_series(1, 6)
        RETURNING event_id
    )
    INSERT INTO chaos.retained SELECT 'inbox row', event_id, true FROM added;

    WITH aged AS (
        UPDATE audit.events SET archived_at = long_ago WHERE id <= (SELECT max(id) - 2 FROM audit.events) RETURNING outbox_event_id
    )
    INSERT INTO chaos.retained SELECT 'archived event', outbox_event_id, true FROM aged ON CONFLICT DO NOTHING;

    -- Two of four orders.
    WITH aged AS (
        UPDATE events.outbox_delivery d
           SET created_at = long_ago,
               open_since = long_ago,
               failures = jsonb_set(d.failures, '{-1,at}', to_jsonb(long_ago))
          FROM events.outbox o
         WHERE d.status = 'DEAD'
           AND d.aggregate_id IN ('o-0', 'o-1')
           AND o.id = d.outbox_id
        RETURNING o.event_id
    )
    INSERT INTO chaos.retained SELECT 'dead letter', event_id, true FROM aged ON CONFLICT DO NOTHING;
END
$function$;

CREATE VIEW chaos.broken_retention AS
WITH present (kind, id) AS (
    SELECT 'operation', id::text FROM events.outbox_operation
     UNION ALL
    SELECT 'replay', id::text FROM events.outbox_replay
     UNION ALL
    SELECT 'inbox row', event_id::text FROM events.processed_event
     UNION ALL
    SELECT 'archived event', outbox_event_id::text FROM audit.events
     UNION ALL
    SELECT 'dead letter', o.event_id::text
      FROM events.outbox_delivery d
      JOIN events.outbox o ON o.id = d.outbox_id
     WHERE d.status = 'DEAD'
), kept (kind, id) AS (
    SELECT kind, id FROM chaos.retained WHERE NOT is_old
     UNION ALL
    SELECT 'inbox row', event_id::text FROM chaos.booking
     UNION ALL
    SELECT 'archived event', l.event_id::text
      FROM chaos.ledger l
     WHERE NOT EXISTS (SELECT FROM events.outbox o WHERE o.event_id = l.event_id)
     UNION ALL
    SELECT 'dead letter', c.event_id::text FROM chaos.state_change c WHERE c.kind = 'DELIVERY' AND c.new_status = 'DEAD'
)
SELECT kind || ' ' || id || ' is old and still there' AS what
  FROM chaos.retained
  JOIN present USING (kind, id)
 WHERE is_old
 UNION ALL
SELECT kind || ' ' || id || ' is not old and gone'
  FROM (SELECT kind, id FROM kept EXCEPT SELECT kind, id FROM present) gone
 WHERE NOT EXISTS (SELECT FROM chaos.retained r WHERE r.kind = gone.kind AND r.id = gone.id AND r.is_old)
 UNION ALL
SELECT 'event ' || o.event_id || ' is published and not archived'
  FROM events.outbox_published o
 WHERE NOT EXISTS (SELECT FROM events.outbox_delivery d WHERE d.outbox_id = o.id)
 UNION ALL
SELECT kind || 's were never old'
  FROM unnest(ARRAY['operation', 'replay', 'inbox row', 'archived event', 'dead letter']) kind
 WHERE NOT EXISTS (SELECT FROM chaos.retained r WHERE r.kind = kind.kind AND r.is_old);

-- Order o-0 is erased without delivery, and o-1 after delivery.
CREATE VIEW chaos.broken_erasure AS
WITH event AS (
    SELECT o.event_id, o.aggregate_id, o.erased_at,
           (o.payload, o.headers) = ('{}', '{}') AND o.last_error IS NULL AND o.failures IS NULL AS is_empty,
           o.published_at IS NOT NULL
           AND NOT EXISTS (SELECT FROM events.outbox_delivery d WHERE d.outbox_id = o.id) AS is_delivered
      FROM events.outbox o
     UNION ALL
    SELECT outbox_event_id, aggregate_id, erased_at, (payload, headers) = ('{}', '{}'), true
      FROM audit.events
     UNION ALL
    SELECT event_id, aggregate_id, NULL, false, false
      FROM events.outbox_scheduled
), operation AS (
    SELECT p.action, p.last_error, l.event_id, l.aggregate_id
      FROM events.outbox_operation p
      JOIN chaos.ledger l ON l.event_id = p.event_id
)
SELECT 'event ' || event_id || ' of ' || aggregate_id || ' is erased in part' AS what
  FROM event
 WHERE is_empty <> (erased_at IS NOT NULL)
 UNION ALL
SELECT 'event ' || event_id || ' of ' || aggregate_id || ' is not erased'
  FROM event
 WHERE erased_at IS NULL
   AND (aggregate_id = 'o-0' OR aggregate_id = 'o-1' AND is_delivered)
 UNION ALL
SELECT 'event ' || event_id || ' of ' || aggregate_id || ' is erased'
  FROM event
 WHERE erased_at IS NOT NULL
   AND (aggregate_id NOT IN ('o-0', 'o-1') OR NOT is_delivered)
 UNION ALL
SELECT 'event ' || event_id || ' of ' || aggregate_id || ' was subject to ' || action
  FROM operation
 WHERE aggregate_id <> 'o-0'
   AND (action <> 'ERASE' OR aggregate_id <> 'o-1')
 UNION ALL
SELECT 'an operation keeps an error of event ' || event_id
  FROM operation
 WHERE aggregate_id = 'o-0'
   AND last_error IS NOT NULL
 UNION ALL
SELECT 'event ' || event_id || ' was erased ' || count(*) || ' times'
  FROM operation
 WHERE action = 'ERASE'
 GROUP BY event_id
HAVING count(*) > 1
 UNION ALL
SELECT 'no event was subject to ' || action
  FROM unnest(ARRAY['ERASE', 'SKIP', 'CANCEL_SCHEDULED']) action
 WHERE NOT EXISTS (SELECT FROM operation WHERE operation.action = action.action);
