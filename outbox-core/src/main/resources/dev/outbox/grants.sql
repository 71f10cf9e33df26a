-- Rights of five roles on the outbox, for databases in which the application is not the owner of the tables. Creates nothing.
--
--   psql -d shop -v publisher=shop_web -v worker=shop_worker -v reader=shop_support -v migrator=shop_migrator -f grants.sql
--
-- migrator   owns the schemas and runs the migrations
-- publisher  stores events; reads no payload, changes and deletes no event, except scheduled ones
-- worker     delivers events: claims, settlements, retries, registrations, replays, operator commands, retention; stores scheduled ones
-- reader     looks: events without payloads and headers, deliveries, claims, handlers, instances, what operators did
-- eraser     erases the content of delivered events, in a process that is also a worker; only if -v eraser=shop_privacy names it
--
-- Create the roles first, and run the migrations as the migrator (GRANT CREATE ON DATABASE lets it create the schemas), or the SQL that
-- java -jar outbox-core-<version>.jar prints. Then run this file as the migrator or a superuser, and once more after every upgrade. A process that
-- publishes and delivers needs both roles; so do handlers that publish, and processes with an inbox. Granting twice changes nothing.

\if :{?schema}         \else \set schema         events           \endif
\if :{?archive_schema} \else \set archive_schema audit            \endif
\if :{?migrator}       \else \set migrator       outbox_migrator  \endif
\if :{?publisher}      \else \set publisher      outbox_publisher \endif
\if :{?worker}         \else \set worker         outbox_worker    \endif
\if :{?reader}         \else \set reader         outbox_reader    \endif
\set ON_ERROR_STOP on

-- Every role: find the tables, and check their version and the archive when the application starts.
GRANT USAGE ON SCHEMA :"schema", :"archive_schema" TO :"publisher", :"worker", :"reader";
GRANT SELECT ON :"schema".outbox_schema_history TO :"publisher", :"worker", :"reader";

-- Publisher. The columns that it may not insert keep their defaults: it chooses neither the id nor the state of an event.
GRANT INSERT (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload, headers, occurred_at),
      SELECT (id, event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, occurred_at)
   ON :"schema".outbox, :"schema".outbox_unpublished TO :"publisher";
GRANT USAGE ON SEQUENCE :"schema".outbox_id_seq TO :"publisher";
GRANT INSERT (aggregate_type, aggregate_id, last_seq),
      SELECT (aggregate_type, aggregate_id, last_seq),
      UPDATE (last_seq)
   ON :"schema".outbox_aggregate TO :"publisher";
GRANT SELECT, INSERT ON :"schema".outbox_aggregate_type TO :"publisher";
GRANT SELECT, INSERT, DELETE ON :"schema".outbox_scheduled TO :"publisher";
-- It publishes from SQL with the rights above.
GRANT EXECUTE ON FUNCTION :"schema".publish TO :"publisher";

-- Only for publishers that choose event ids: the answer to an id that is stored already is the stored event.
--   GRANT SELECT (payload, headers) ON events.outbox TO shop_web;

-- Worker. Events change in their state only; what operators did is never changed.
GRANT SELECT ON :"schema".outbox, :"schema".outbox_status, :"schema".outbox_aggregate, :"schema".outbox_aggregate_type TO :"worker";
GRANT SELECT, DELETE,
      UPDATE (status, attempt_count, retry_count, next_retry_at, last_attempt_at, last_error_code, last_error, dispatched_at,
              failures, skipped_handlers)
   ON :"schema".outbox_unpublished TO :"worker";
-- Scheduled events move into the queue when they are due.
GRANT INSERT (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload, headers, occurred_at)
   ON :"schema".outbox_unpublished TO :"worker";
GRANT SELECT, DELETE, UPDATE (due_at, occurred_at, refusals, last_error) ON :"schema".outbox_scheduled TO :"worker";
GRANT SELECT, UPDATE (last_seq) ON :"schema".outbox_aggregate TO :"worker";
-- UPDATE of one column is what FOR UPDATE needs.
GRANT SELECT, INSERT, DELETE, UPDATE (status) ON :"schema".outbox_published TO :"worker";
GRANT SELECT, INSERT, UPDATE, DELETE
   ON :"schema".outbox_claim, :"schema".outbox_lane, :"schema".outbox_delivery, :"schema".outbox_handler, :"schema".outbox_subscription,
      :"schema".outbox_instance, :"schema".processed_event
   TO :"worker";
GRANT SELECT, INSERT, UPDATE ON :"schema".outbox_stream, :"schema".outbox_replay TO :"worker";
GRANT SELECT, INSERT ON :"schema".outbox_operation, :"schema".outbox_incarnation TO :"worker";
GRANT INSERT (aggregate_type, counted, origin) ON :"schema".outbox_aggregate_type TO :"worker";
GRANT SELECT ON SEQUENCE :"schema".outbox_id_seq, :"schema".outbox_claim_id_seq TO :"worker";
GRANT USAGE
   ON SEQUENCE :"schema".outbox_id_seq, :"schema".outbox_claim_id_seq, :"schema".outbox_replay_id_seq, :"schema".outbox_operation_id_seq,
      :"archive_schema".events_id_seq
   TO :"worker";
GRANT EXECUTE
   ON FUNCTION :"schema".outbox_begin_incarnation(), :"schema".outbox_payload_size(jsonb),
      :"schema".outbox_add_failure(jsonb, integer, text, text, text, jsonb), :"schema".outbox_aggregate_hash(text, text), :"schema".outbox_source(jsonb),
      :"schema".outbox_free_lanes(text, text, boolean),
      :"schema".outbox_takes(text, text, text, text, text, text, text, text)
   TO :"worker";
GRANT INSERT, SELECT (outbox_event_id, aggregate_type) ON :"archive_schema".events TO :"worker";

-- Only for outbox.retention.operations, .replays and .archived, which remove what a worker else cannot:
--   GRANT DELETE ON events.outbox_operation, events.outbox_replay TO shop_worker;
--   GRANT SELECT (id, archived_at), DELETE ON audit.events TO shop_worker;

-- Reader.
GRANT SELECT (id, event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, occurred_at, status,
              attempt_count, retry_count, next_retry_at, last_attempt_at, last_error_code, last_error, dispatched_at, published_at,
              failures, skipped_handlers, erased_at)
   ON :"schema".outbox, :"schema".outbox_unpublished, :"schema".outbox_published TO :"reader";
GRANT SELECT (event_id, stream, aggregate_type, aggregate_id, key, event_type, schema_version, occurred_at, due_at, refusals, last_error)
   ON :"schema".outbox_scheduled TO :"reader";
GRANT SELECT
   ON :"schema".outbox_status, :"schema".outbox_claim, :"schema".outbox_lane, :"schema".outbox_delivery, :"schema".outbox_stream, :"schema".outbox_handler,
      :"schema".outbox_subscription, :"schema".outbox_replay, :"schema".outbox_operation, :"schema".outbox_aggregate, :"schema".outbox_aggregate_type,
      :"schema".outbox_incarnation, :"schema".processed_event, :"schema".outbox_instance
   TO :"reader";
GRANT EXECUTE ON FUNCTION :"schema".outbox_aggregate_hash(text, text) TO :"reader";
GRANT SELECT (id, outbox_event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, occurred_at,
              published_at, retry_count, archived_at, skipped_handlers, erased_at)
   ON :"archive_schema".events TO :"reader";

-- Eraser: what a worker never changes. A trigger refuses every update of an event but an erasure.
\if :{?eraser}
GRANT UPDATE (payload, headers, last_error, failures, erased_at) ON :"schema".outbox TO :"eraser";
GRANT UPDATE (last_error) ON :"schema".outbox_operation TO :"eraser";
GRANT SELECT (id, outbox_event_id, stream, aggregate_type, aggregate_id, erased_at), UPDATE (payload, headers, erased_at)
   ON :"archive_schema".events TO :"eraser";
\endif

-- What a later migration adds is the worker's until this file is run again.
ALTER DEFAULT PRIVILEGES FOR ROLE :"migrator" IN SCHEMA :"schema", :"archive_schema"
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO :"worker";
ALTER DEFAULT PRIVILEGES FOR ROLE :"migrator" IN SCHEMA :"schema", :"archive_schema"
    GRANT USAGE, SELECT ON SEQUENCES TO :"worker";
