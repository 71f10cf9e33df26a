-- A claim of redeliveries: one transaction in one round trip.
-- To run it in psql, replace {schema}, {envelope} with o.*, and {handlers}, {lanes of handler}, {takers of locked} and {taken} with the expressions of LaneSql
-- and Subscriptions, which claims of first deliveries share; and \set the parameters.

-- result: stream
-- Relies on outbox_stream_pk. Begins an incarnation after a crash. The lock keeps the window of claims from passing over the id of this one.
SELECT coalesce((SELECT i.token FROM {schema}.outbox_incarnation i), {schema}.outbox_begin_incarnation())
  FROM {schema}.outbox_stream s
 WHERE s.stream = :stream
   FOR SHARE OF s;

-- result: due
-- Relies on outbox_lane_due, twice for each handler, outbox_lane_pk and outbox_delivery_lane. Locks the lanes that are due, the longest
-- waiting first, or one crash suspect, and notes the places of their rows.
WITH head AS MATERIALIZED (
    -- The longest waiting lane of each handler. Stops when enough handlers have one, and begins with another handler each time. Looks up
    -- whether a handler is paused, because a busy stream may learn late that the registry has changed.
    SELECT h.*, l.due_at
      FROM (SELECT * FROM {handlers} ORDER BY random()) h
     CROSS JOIN LATERAL (SELECT l.due_at
                           {lanes of handler}
                        AND l.due_at < now()
                        AND (:with_suspects OR NOT h.suspect)
                      ORDER BY l.due_at
                      LIMIT 1) l
     WHERE EXISTS (SELECT FROM {schema}.outbox_stream s WHERE s.stream = :stream AND s.paused_until <= now())
       AND NOT EXISTS (SELECT FROM {schema}.outbox_handler p WHERE p.id = h.handler_id AND p.paused_until > now())
     LIMIT greatest(:batch_size, 50)
), candidate AS MATERIALIZED (
    -- Finds the lanes without locks, so that it holds no others. Each handler has its part of twice the batch.
    SELECT l.aggregate_type, l.aggregate_id, l.handler_id, l.due_at, h.suspect
      FROM head h
     CROSS JOIN LATERAL (SELECT l.aggregate_type, l.aggregate_id, l.handler_id, l.due_at
                           {lanes of handler}
                        AND l.due_at < now()
                      ORDER BY l.due_at
                      LIMIT least(:batch_size, 1 + 2 * :batch_size / (SELECT count(*) FROM head))) l
     WHERE h.suspect = (SELECT head.suspect FROM head ORDER BY head.due_at LIMIT 1)
)
SELECT set_config('outbox.lanes', coalesce(array_agg(l.place)::text, '{}'), true), count(*)
  FROM (SELECT l.place
          FROM (SELECT * FROM candidate ORDER BY candidate.due_at) c
         CROSS JOIN LATERAL (SELECT l.ctid AS place
                               FROM {schema}.outbox_lane l
                              WHERE l.aggregate_type = c.aggregate_type
                                AND l.aggregate_id = c.aggregate_id
                                AND l.handler_id = c.handler_id
                                AND l.claim_id IS NULL
                                AND l.due_at < now()
                              LIMIT 1
                                FOR UPDATE SKIP LOCKED) l
         LIMIT CASE WHEN (SELECT bool_or(candidate.suspect) FROM candidate) THEN 1 ELSE :batch_size END) l;

-- result: deliveries
-- Relies on outbox_delivery_lane, outbox_delivery_pk and the primary keys of both partitions. Its snapshot is younger than the locks of
-- "due", so that it reads the lanes as they are.
WITH locked AS MATERIALIZED (
    SELECT l.ctid AS place, l.*
      FROM {schema}.outbox_lane l
     WHERE l.ctid = ANY (current_setting('outbox.lanes')::tid[])
), lane AS MATERIALIZED (
    SELECT l.place, l.aggregate_type, l.aggregate_id, l.handler_id, l.first_seq, l.crash_count AS crashes,
           row_number() OVER (ORDER BY l.due_at, l.aggregate_type, l.aggregate_id, l.handler_id) AS turn,
           :followers / count(*) OVER () AS followers,
           t.event_types, t.aggregate_types, t.taken_streams, t.sources
      FROM locked l
      JOIN ({takers of locked}) t USING (handler_id)
), delivery AS MATERIALIZED (
    -- The first delivery of each lane. One that has not failed, in a lane without a crash, brings those behind it along, so that the lane
    -- drains in batches; "ready" ends at the first that cannot be attempted.
    -- Nothing in front of first_seq is left: those that have gone stay in the index while a snapshot is held.
    SELECT l.turn, l.place, l.crashes, d.outbox_id, d.handler_id, d.aggregate_seq, d.attempt_count, d.retry_count, d.replay_id,
           d.next_retry_at,
           row_number() OVER of_lane AS number,
           bool_and(d.status = 'OPEN' AND d.next_retry_at <= clock_timestamp() AND {taken}) OVER of_lane AS ready
      FROM lane l
     CROSS JOIN LATERAL (SELECT d.*
                           FROM {schema}.outbox_delivery d
                          WHERE d.aggregate_type = l.aggregate_type AND d.aggregate_id = l.aggregate_id AND d.handler_id = l.handler_id
                            AND d.status <> 'DEAD'
                            AND d.aggregate_seq >= l.first_seq
                          ORDER BY d.aggregate_seq
                          LIMIT 1) first
     CROSS JOIN LATERAL (SELECT d.*
                           FROM {schema}.outbox_delivery d
                          WHERE d.aggregate_type = l.aggregate_type AND d.aggregate_id = l.aggregate_id AND d.handler_id = l.handler_id
                            AND d.status <> 'DEAD'
                            AND d.aggregate_seq >= l.first_seq
                          ORDER BY d.aggregate_seq
                          LIMIT CASE WHEN l.crashes = 0 AND first.retry_count = 0
                                     THEN 1 + least(l.followers, :batch_size) ELSE 1 END) d
    WINDOW of_lane AS (PARTITION BY l.turn ORDER BY d.aggregate_seq)
), chosen AS MATERIALIZED (
    -- At most 8 MB of payloads, but at least one delivery: a prefix in the order of attempts.
    SELECT sized.*
      FROM (SELECT d.*, row_number() OVER attempts AS place_in_batch, sum(o.bytes) OVER attempts AS bytes
              FROM delivery d
             CROSS JOIN LATERAL (SELECT CASE WHEN :alone OR d.crashes > 1 THEN 0 ELSE {schema}.outbox_payload_size(o.payload) END AS bytes
                                   FROM {schema}.outbox o
                                  WHERE o.id = d.outbox_id
                                  LIMIT 1) o
             WHERE d.ready
            WINDOW attempts AS (ORDER BY d.turn, d.aggregate_seq)) sized
     WHERE sized.place_in_batch = 1
        OR sized.bytes <= 8388608
), claim AS (
    INSERT INTO {schema}.outbox_claim (token, incarnation, stream, worker, locked_until, event_ids, aggregates)
    SELECT :token, (SELECT i.token FROM {schema}.outbox_incarnation i), :stream, :worker,
           clock_timestamp() + :lease * interval '1 millisecond', '{}', '{}'
     WHERE EXISTS (SELECT FROM chosen)
    RETURNING id
), leased AS (
    -- A lane whose first delivery is not chosen is due when that one is, but never earlier than it was.
    UPDATE {schema}.outbox_lane l
       SET claim_id = CASE WHEN d.taken THEN (SELECT claim.id FROM claim) END,
           due_at = CASE WHEN d.taken THEN l.due_at ELSE greatest(d.next_retry_at, l.due_at) END
      FROM (SELECT d.place, d.next_retry_at, d.turn IN (SELECT chosen.turn FROM chosen) AS taken
              FROM delivery d
             WHERE d.number = 1) d
     WHERE l.ctid = d.place
)
-- The payload of a crash suspect, or of a delivery that is claimed alone, is read afterwards: it may be what the process cannot read.
SELECT {envelope},
       c.replay_id IS NOT NULL, c.handler_id, c.attempt_count + 1, c.retry_count, c.crashes, (SELECT claim.id FROM claim)
  FROM chosen c
 CROSS JOIN LATERAL (SELECT * FROM {schema}.outbox o WHERE o.id = c.outbox_id LIMIT 1) o
 ORDER BY c.turn, c.aggregate_seq;
