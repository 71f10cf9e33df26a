-- Rights of the roles of dev/outbox/grants.sql on the tables of inboxes. Run this file after that one, with the same variables. A process with
-- an inbox needs the roles of publisher and worker.

\if :{?schema}         \else \set schema         events           \endif
\if :{?publisher}      \else \set publisher      outbox_publisher \endif
\if :{?worker}         \else \set worker         outbox_worker    \endif
\if :{?reader}         \else \set reader         outbox_reader    \endif
\set ON_ERROR_STOP on

GRANT SELECT ON :"schema".outbox_kafka_schema_history TO :"publisher", :"worker", :"reader";

GRANT SELECT, INSERT, UPDATE (next_offset, topic_id, stopped_after) ON :"schema".outbox_inbox_offset TO :"publisher";

GRANT SELECT ON :"schema".outbox_inbox_offset TO :"reader";
