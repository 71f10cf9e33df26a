-- Withdraws events that no worker has claimed, in a transaction of operations.
-- To run it in psql, replace {schema} and {history}, and \set the parameters.

-- result: lock pending
-- Relies on outbox_unpublished_event_id. Locks events that await their first delivery, and notes them for the next statement, whose snapshot
-- is younger than the locks: it sees every claim that had them before. A claim leaves out what is locked. Waits for no lock.
SELECT set_config('outbox.locked_events', coalesce(array_agg(o.id)::text, '{}'), true)
  FROM (SELECT o.id
          FROM {schema}.outbox_unpublished o
         WHERE :withdraw
           AND o.event_id = ANY (:event_ids::uuid[])
           AND o.status = 'PENDING'
           FOR UPDATE SKIP LOCKED) o;

-- result: skip
-- Relies on outbox_unpublished_pk; reads outbox_claim whole, which has a row per batch. Skips all handlers of the locked events that no worker
-- has claimed. An expired claim counts, because its worker may renew it; the next claim of the stream drops it.
-- After a crash, which may have lost a claim, the first claim begins an incarnation.
UPDATE {schema}.outbox_unpublished o
   SET skipped_handlers = '{*}'
 WHERE o.id = ANY (current_setting('outbox.locked_events')::bigint[])
   AND EXISTS (SELECT FROM {schema}.outbox_incarnation)
   AND NOT EXISTS (SELECT
                     FROM {schema}.outbox_claim c
                    WHERE o.id = ANY (c.event_ids));

-- result: withdraw
-- Relies on outbox_unpublished_pk. Moves these to history.
WITH free AS MATERIALIZED (
    SELECT o.id, o.event_id, o.stream
      FROM {schema}.outbox_unpublished o
     WHERE o.id = ANY (current_setting('outbox.locked_events')::bigint[])
       AND o.skipped_handlers = '{*}'
), history AS (
{history}
     WHERE o.id = ANY (ARRAY(SELECT free.id FROM free))
), moved AS (
    DELETE FROM {schema}.outbox_unpublished o
     WHERE o.id = ANY (ARRAY(SELECT free.id FROM free))
)
INSERT INTO {schema}.outbox_operation (performed_by, action, reason, command_id, stream, event_id)
SELECT :actor, 'WITHDRAW', :reason, :withdraw_command::bigint, free.stream, free.event_id
  FROM free;
