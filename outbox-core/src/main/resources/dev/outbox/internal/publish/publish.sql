-- Stores events, in the transaction of the application.
-- The function in R__publish.sql runs them too: change both.
-- To run it in psql, replace {schema}, and {envelope} with o.*, and \set the parameters.

-- result: event
-- Relies on outbox_aggregate_pk and outbox_aggregate_type_pk. Inserts nothing if the type is neither stored nor has just been added.
WITH counter AS (
    INSERT INTO {schema}.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
    SELECT :aggregate_type, :aggregate_id, 1
     WHERE (:type_added
            OR EXISTS (SELECT
                         FROM {schema}.outbox_aggregate_type t
                        WHERE t.aggregate_type = :aggregate_type
                          AND t.counted = :counted
                          AND t.origin IS NOT DISTINCT FROM :origin::text))
    ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
       SET last_seq = a.last_seq + 1
    RETURNING aggregate_type, aggregate_id, last_seq
)
INSERT INTO {schema}.outbox_unpublished
       (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
        headers, occurred_at)
SELECT :event_id, :stream, aggregate_type, aggregate_id, last_seq, :type, :version, :payload::jsonb, :headers::jsonb,
       :occurred_at
  FROM counter
RETURNING id, aggregate_seq;

-- result: numbered event
-- Relies on outbox_aggregate_type_pk. The application numbers the events of the aggregate.
INSERT INTO {schema}.outbox_unpublished
       (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
        headers, occurred_at)
SELECT :event_id, :stream, :aggregate_type, :aggregate_id, :seq, :type, :version, :payload::jsonb, :headers::jsonb,
       :occurred_at
 WHERE (:type_added
        OR EXISTS (SELECT
                     FROM {schema}.outbox_aggregate_type t
                    WHERE t.aggregate_type = :aggregate_type
                      AND t.counted = :counted
                      AND t.origin IS NOT DISTINCT FROM :origin::text))
RETURNING id, aggregate_seq;

-- result: events
-- Relies on outbox_aggregate_pk and outbox_aggregate_type_pk.
WITH input AS (
    -- Is empty if a type is not known, so that nothing is inserted.
    SELECT i.*, row_number() OVER (PARTITION BY aggregate_type, aggregate_id ORDER BY place) AS number
      FROM unnest(:event_ids::uuid[], :streams::text[], :aggregate_types::text[], :aggregate_ids::text[],
                  :types::text[], :versions::integer[], :payloads::text[], :headers::text[],
                  :occurred_at::timestamptz[], :sequences::bigint[], :origins::text[])
           WITH ORDINALITY
           AS i (event_id, stream, aggregate_type, aggregate_id, event_type, schema_version, payload, headers,
                 occurred_at, sequence, origin, place)
     WHERE :types_added
        OR NOT EXISTS (SELECT
                         FROM unnest(:aggregate_types::text[], :sequences::bigint[], :origins::text[])
                              AS e (aggregate_type, sequence, origin)
                         LEFT JOIN {schema}.outbox_aggregate_type t
                           ON t.aggregate_type = e.aggregate_type
                          AND t.counted = (e.sequence IS NULL)
                          AND t.origin IS NOT DISTINCT FROM e.origin
                        WHERE t.aggregate_type IS NULL)
), total AS (
    SELECT aggregate_type, aggregate_id, count(*) AS events
      FROM input
     WHERE sequence IS NULL
     GROUP BY aggregate_type, aggregate_id
), counter AS (
    -- Locks the counters in sorted order.
    INSERT INTO {schema}.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
    SELECT aggregate_type, aggregate_id, events
      FROM total
     ORDER BY aggregate_type COLLATE "C", aggregate_id COLLATE "C"
    ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
       SET last_seq = a.last_seq + excluded.last_seq
    RETURNING aggregate_type, aggregate_id, last_seq
)
-- Numbers the events of each aggregate in the order given.
INSERT INTO {schema}.outbox_unpublished
       (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
        headers, occurred_at)
SELECT input.event_id, input.stream, input.aggregate_type, input.aggregate_id,
       coalesce(input.sequence, counter.last_seq - total.events + input.number),
       input.event_type, input.schema_version, input.payload::jsonb, input.headers::jsonb, input.occurred_at
  FROM input
  LEFT JOIN total USING (aggregate_type, aggregate_id)
  LEFT JOIN counter USING (aggregate_type, aggregate_id)
 ORDER BY input.place
RETURNING id, event_id, aggregate_seq;

-- result: counters
-- Relies on outbox_aggregate_pk. Locks the counters in sorted order; new ones begin at 0.
INSERT INTO {schema}.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
SELECT aggregate_type, aggregate_id, 0
  FROM unnest(:aggregate_types::text[], :aggregate_ids::text[]) AS i (aggregate_type, aggregate_id)
 ORDER BY aggregate_type COLLATE "C", aggregate_id COLLATE "C"
ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
   SET last_seq = a.last_seq;

-- result: known
-- Relies on outbox_unpublished_event_id and outbox_published_event_id.
SELECT {envelope}
  FROM {schema}.outbox o
 WHERE o.event_id = ANY (:event_ids::uuid[]);

-- result: schedule
-- Relies on outbox_scheduled_key. The database's clock decides when the event is due.
WITH o AS (
    INSERT INTO {schema}.outbox_scheduled
           (event_id, stream, aggregate_type, aggregate_id, key, event_type, schema_version, payload, headers,
            occurred_at, due_at)
    VALUES (:event_id, :stream, :aggregate_type, :aggregate_id, :key, :type, :version, :payload::jsonb,
            :headers::jsonb, :occurred_at,
            coalesce(:due_at::timestamptz, clock_timestamp() + :delay_millis::bigint * interval '1 millisecond'))
    RETURNING 0::bigint AS id, event_id, stream, aggregate_type, aggregate_id, 0::bigint AS aggregate_seq, event_type,
              schema_version, payload, headers, coalesce(occurred_at, due_at) AS occurred_at
)
SELECT {envelope}
  FROM o;

-- result: scheduled
-- Relies on outbox_scheduled_key.
SELECT {envelope}
  FROM (SELECT 0::bigint AS id, s.event_id, s.stream, s.aggregate_type, s.aggregate_id, 0::bigint AS aggregate_seq,
               s.event_type, s.schema_version, s.payload, s.headers, coalesce(s.occurred_at, s.due_at) AS occurred_at
          FROM {schema}.outbox_scheduled s
         WHERE s.aggregate_type = :aggregate_type
           AND s.aggregate_id = :aggregate_id
           AND s.key = :key) o;

-- result: withdraw
-- Relies on outbox_scheduled_key.
DELETE FROM {schema}.outbox_scheduled s
 WHERE s.aggregate_type = :aggregate_type
   AND s.aggregate_id = :aggregate_id
   AND s.key = :key;

-- result: same payload
SELECT :stored::jsonb = :given::jsonb;
