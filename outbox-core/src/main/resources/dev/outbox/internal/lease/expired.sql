-- Ends the claims of a stream that have expired: one transaction in one round trip. Takes no lock that another session holds.
-- To run it in psql, replace {schema}, and {expired} with the condition of LeaseStore; and \set the parameters.

-- result: incarnation
SELECT coalesce((SELECT i.token FROM {schema}.outbox_incarnation i), {schema}.outbox_begin_incarnation());

-- result: lock
-- Relies on outbox_stream_pk, outbox_claim_pk and outbox_lane_claim. Notes the claims and the places of their lanes.
WITH dead AS MATERIALIZED (
    SELECT c.id
      FROM {schema}.outbox_claim c
     WHERE c.id >= (SELECT s.first_claim FROM {schema}.outbox_stream s WHERE s.stream = :stream)
       AND c.stream = :stream
       AND {expired}
     ORDER BY c.id
       FOR UPDATE SKIP LOCKED
), lane AS MATERIALIZED (
    SELECT l.place
      FROM dead
     CROSS JOIN LATERAL (SELECT l.ctid AS place
                           FROM {schema}.outbox_lane l
                          WHERE l.claim_id = dead.id
                            FOR UPDATE SKIP LOCKED) l
)
SELECT set_config('outbox.expired_claims', (SELECT coalesce(array_agg(dead.id)::text, '{}') FROM dead), true),
       set_config('outbox.expired_lanes', (SELECT coalesce(array_agg(lane.place)::text, '{}') FROM lane), true);

-- result: end
-- Relies on outbox_claim_pk, outbox_lane_claim, outbox_delivery_lane, outbox_delivery_pk and outbox_unpublished_pk. Its snapshot is younger than
-- the locks. Looks events up by arrays of their ids, never by a join, and by status rather than dispatched_at: while a session holds a
-- snapshot, the indexes keep what has left the queue, and outbox_unpublished_pending would read all of it.
WITH dead AS MATERIALIZED (
    SELECT c.id, c.ctid AS place, c.worker, c.claimed_at, c.event_ids,
           -- A crash of the database counts against no event.
           c.incarnation = (SELECT i.token FROM {schema}.outbox_incarnation i) AS counts
      FROM {schema}.outbox_claim c
     WHERE c.id = ANY (current_setting('outbox.expired_claims')::bigint[])
), unsettled AS MATERIALIZED (
    SELECT o.id
      FROM {schema}.outbox_unpublished o
     WHERE o.id = ANY (ARRAY(SELECT unnest(dead.event_ids) FROM dead WHERE dead.counts))
       AND o.status = 'PENDING'
     ORDER BY o.id
       FOR UPDATE OF o SKIP LOCKED
), counted AS (
    UPDATE {schema}.outbox_unpublished o
       SET attempt_count = o.attempt_count + 1,
           last_attempt_at = clock_timestamp(),
           last_error_code = 'LEASE_EXPIRED'
     WHERE o.id = ANY (ARRAY(SELECT unsettled.id FROM unsettled))
    RETURNING o.id
), lane AS MATERIALIZED (
    SELECT l.place, l.claim_id, first.outbox_id, first.handler_id, first.next_retry_at, dead.worker, dead.claimed_at, dead.counts
      FROM (SELECT l.ctid AS place, l.*
              FROM {schema}.outbox_lane l
             WHERE l.ctid = ANY (current_setting('outbox.expired_lanes')::tid[])) l
      JOIN dead ON dead.id = l.claim_id
     CROSS JOIN LATERAL (SELECT d.outbox_id, d.handler_id, d.next_retry_at
                           FROM {schema}.outbox_delivery d
                          WHERE d.aggregate_type = l.aggregate_type AND d.aggregate_id = l.aggregate_id AND d.handler_id = l.handler_id
                            AND d.status <> 'DEAD'
                            AND d.aggregate_seq >= l.first_seq
                          ORDER BY d.aggregate_seq
                          LIMIT 1) first
), freed AS (
    UPDATE {schema}.outbox_lane l
       SET claim_id = NULL,
           crash_count = l.crash_count + lane.counts::integer,
           due_at = greatest(lane.next_retry_at, clock_timestamp())
      FROM lane
     WHERE l.ctid = lane.place
), blamed AS (
    -- An expired lease is an attempt of the first delivery, unless that has entered the lane since the claim.
    UPDATE {schema}.outbox_delivery d
       SET attempt_count = d.attempt_count + 1,
           last_attempt_at = first.claimed_at,
           failures = {schema}.outbox_add_failure(d.failures, d.attempt_count + 1, 'LEASE_EXPIRED',
                                                  'the lease of ' || first.worker || ' expired', first.worker, NULL)
      FROM (SELECT d.place, lane.worker, lane.claimed_at
              FROM lane
             CROSS JOIN LATERAL (SELECT d.ctid AS place, d.status, d.next_retry_at
                                   FROM {schema}.outbox_delivery d
                                  WHERE d.outbox_id = lane.outbox_id
                                    AND d.handler_id = lane.handler_id
                                  LIMIT 1
                                    FOR UPDATE SKIP LOCKED) d
             WHERE lane.counts
               AND d.status = 'OPEN'
               AND d.next_retry_at <= lane.claimed_at) first
     WHERE d.ctid = first.place
), kept AS MATERIALIZED (
    -- Claims with a lane that another session has locked. Until that can be freed, it names the claim, which no worker has any more.
    SELECT dead.id
      FROM dead
     WHERE (SELECT count(*) FROM {schema}.outbox_lane l WHERE l.claim_id = dead.id)
           > (SELECT count(*) FROM lane WHERE lane.claim_id = dead.id)
), voided AS (
    UPDATE {schema}.outbox_claim c
       SET token = gen_random_uuid(),
           locked_until = '-infinity'
     WHERE c.id = ANY (ARRAY(SELECT kept.id FROM kept))
       AND c.locked_until > '-infinity'
), removed AS (
    DELETE FROM {schema}.outbox_claim c
     WHERE c.id = ANY (ARRAY(SELECT dead.id FROM dead EXCEPT SELECT kept.id FROM kept))
)
SELECT dead.worker, dead.counts,
       (SELECT count(*) FROM counted WHERE counted.id = ANY (dead.event_ids)),
       (SELECT count(*) FROM lane WHERE lane.claim_id = dead.id)
  FROM dead
 WHERE dead.id NOT IN (SELECT kept.id FROM kept)
    OR dead.id IN (SELECT lane.claim_id FROM lane);
