-- Scheduled events, in transactions of the outbox.
-- To run it in psql, replace {schema}, and \set the parameters.

-- result: move
-- Relies on outbox_scheduled_due, outbox_scheduled_pk, outbox_aggregate_pk, outbox_aggregate_type_pk, outbox_stream_pk,
-- outbox_unpublished_pending, outbox_unpublished_aggregate, and the indexes of event ids. Waits for no lock: an aggregate whose counter a
-- transaction holds is due a moment later. The lock also keeps its events from being replaced, cancelled or moved by another instance; what
-- has changed before it is checked again on the row itself. A stream with a full queue gets a few, so that fresh events do not wait behind
-- overdue ones. An event that was published under its id meanwhile is not stored twice. One with a number that is taken, or without one,
-- would be refused, and nothing moved: a counter behind its queue moves nothing. Starts at the last event that the round before looked at,
-- if those are locked: an aggregate that is free meanwhile, and has earlier events, waits for the round that starts at the first one.
WITH due AS MATERIALIZED (
    SELECT s.event_id, s.aggregate_type, s.aggregate_id, s.due_at, polled.stream, polled.due_at > '-infinity' AS behind
      FROM unnest(:streams::text[], :from_times::timestamptz[], :from_events::uuid[]) AS polled (stream, due_at, event_id)
      LEFT JOIN {schema}.outbox_stream stream USING (stream)
     CROSS JOIN LATERAL (SELECT s.event_id, s.aggregate_type, s.aggregate_id, s.due_at
                           FROM {schema}.outbox_scheduled s
                          WHERE s.stream = polled.stream
                            AND (s.due_at, s.event_id) >= (polled.due_at, polled.event_id)
                            AND s.due_at <= now()
                          ORDER BY s.due_at, s.event_id
                          LIMIT CASE WHEN (SELECT count(*)
                                             FROM (SELECT o.id
                                                     FROM {schema}.outbox_unpublished o
                                                    WHERE o.stream = polled.stream
                                                      AND o.id >= coalesce(stream.low_water_mark, 0)
                                                      AND o.dispatched_at IS NULL
                                                    LIMIT :full_queue) pending) < :full_queue
                                     THEN :depth ELSE :trickle END) s
     WHERE (stream.paused_until > now()) IS NOT TRUE
), free AS MATERIALIZED (
    SELECT a.aggregate_type, a.aggregate_id
      FROM (SELECT due.aggregate_type, due.aggregate_id, min(due.due_at) AS due_at, array_agg(due.stream) AS streams,
                   (array_agg(due.event_id ORDER BY due.due_at, due.event_id))[1] AS event_id, bool_or(due.behind) AS behind
              FROM due
             GROUP BY due.aggregate_type, due.aggregate_id
             ORDER BY min(due.due_at)) d
     CROSS JOIN LATERAL (SELECT a.aggregate_type, a.aggregate_id
                           FROM {schema}.outbox_aggregate a
                          WHERE a.aggregate_type = d.aggregate_type
                            AND a.aggregate_id = d.aggregate_id
                            AND (SELECT t.counted
                                   FROM {schema}.outbox_aggregate_type t
                                  WHERE t.aggregate_type = d.aggregate_type) IS NOT FALSE
                            AND NOT EXISTS (SELECT
                                              FROM {schema}.outbox_unpublished o
                                             WHERE o.aggregate_type = d.aggregate_type
                                               AND o.aggregate_id = d.aggregate_id
                                               AND o.aggregate_seq > a.last_seq)
                            AND NOT (d.behind AND EXISTS (SELECT
                                                            FROM {schema}.outbox_scheduled earlier
                                                           WHERE earlier.aggregate_type = d.aggregate_type
                                                             AND earlier.aggregate_id = d.aggregate_id
                                                             AND earlier.stream = ANY (d.streams)
                                                             AND (earlier.due_at, earlier.event_id) < (d.due_at, d.event_id)))
                          LIMIT 1
                            FOR UPDATE SKIP LOCKED) a
     LIMIT :batch
), moved AS (
    DELETE FROM {schema}.outbox_scheduled s
     WHERE s.event_id = ANY (ARRAY(SELECT due.event_id
                                     FROM due
                                     JOIN free USING (aggregate_type, aggregate_id)
                                    ORDER BY due.due_at, due.event_id
                                    LIMIT :batch))
       AND s.due_at <= now()
    RETURNING s.event_id, s.stream, s.aggregate_type, s.aggregate_id, s.event_type, s.schema_version, s.payload, s.headers,
              coalesce(s.occurred_at, s.due_at) AS occurred_at, s.due_at
), fresh AS MATERIALIZED (
    SELECT moved.*,
           row_number() OVER (PARTITION BY moved.aggregate_type, moved.aggregate_id
                              ORDER BY moved.due_at, moved.event_id) AS number
      FROM moved
     WHERE (SELECT o.id FROM {schema}.outbox o WHERE o.event_id = moved.event_id LIMIT 1) IS NULL
), total AS MATERIALIZED (
    SELECT aggregate_type, aggregate_id, count(*) AS events
      FROM fresh
     GROUP BY aggregate_type, aggregate_id
), counter AS (
    UPDATE {schema}.outbox_aggregate a
       SET last_seq = a.last_seq + total.events
      FROM total
     WHERE a.aggregate_type = total.aggregate_type
       AND a.aggregate_id = total.aggregate_id
    RETURNING a.aggregate_type, a.aggregate_id, a.last_seq - total.events AS before
), inserted AS (
    INSERT INTO {schema}.outbox_unpublished
           (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload, headers,
            occurred_at)
    SELECT fresh.event_id, fresh.stream, fresh.aggregate_type, fresh.aggregate_id, counter.before + fresh.number,
           fresh.event_type, fresh.schema_version, fresh.payload, fresh.headers, fresh.occurred_at
      FROM fresh
      LEFT JOIN counter USING (aggregate_type, aggregate_id)
     ORDER BY fresh.due_at, fresh.event_id
    RETURNING stream
)
SELECT inserted.stream, count(*), NULL::bigint, NULL::text, NULL::uuid
  FROM inserted
 GROUP BY inserted.stream
 UNION ALL
-- How many due events of a stream were looked at, and the last of them.
(SELECT DISTINCT ON (due.stream) due.stream, NULL, count(*) OVER (PARTITION BY due.stream), due.due_at::text, due.event_id
  FROM due
 ORDER BY due.stream, due.due_at DESC, due.event_id DESC)
 UNION ALL
-- How many milliseconds later the next one is due, or a pause of its stream ends.
SELECT NULL, ceil(extract(epoch FROM min(greatest(s.due_at, stream.paused_until)) - now()) * 1000)::bigint, NULL, NULL, NULL
  FROM unnest(:streams::text[]) AS polled (stream)
  LEFT JOIN {schema}.outbox_stream stream USING (stream)
 CROSS JOIN LATERAL (SELECT s.due_at
                       FROM {schema}.outbox_scheduled s
                      WHERE s.stream = polled.stream
                        AND s.due_at > CASE WHEN stream.paused_until > now() THEN '-infinity' ELSE now() END
                      ORDER BY s.due_at, s.event_id
                      LIMIT 1) s
 WHERE stream.paused_until IS DISTINCT FROM 'infinity';

-- result: due
-- Relies on outbox_scheduled_due: the first due events of a stream.
SELECT s.event_id, s.due_at::text, s.aggregate_type, s.aggregate_id, s.event_type
  FROM {schema}.outbox_scheduled s
 WHERE s.stream = :stream
   AND s.due_at <= now()
 ORDER BY s.due_at, s.event_id
 LIMIT :limit;

-- result: put aside
-- Relies on outbox_scheduled_pk and outbox_aggregate_pk. Keeps the time at which the event was due as that at which it occurred. Waits for no
-- lock: another transaction may be about to replace or move the event.
UPDATE {schema}.outbox_scheduled s
   SET occurred_at = coalesce(s.occurred_at, s.due_at),
       due_at = clock_timestamp() + least(interval '10 seconds' * 2 ^ least(s.refusals, 20), interval '1 hour'),
       refusals = s.refusals + 1,
       last_error = :error
 WHERE s.event_id = (SELECT locked.event_id
                       FROM {schema}.outbox_scheduled locked
                      WHERE locked.event_id = :event_id
                        AND locked.due_at = :due_at::timestamptz
                        FOR UPDATE SKIP LOCKED)
RETURNING s.refusals, s.due_at::text;
