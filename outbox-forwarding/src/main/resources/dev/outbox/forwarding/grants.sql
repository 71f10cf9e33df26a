-- Rights of the roles of dev/outbox/grants.sql on the table of received sequences. Run this file after that one, with the same variables.

\if :{?schema}         \else \set schema         events           \endif
\if :{?publisher}      \else \set publisher      outbox_publisher \endif
\if :{?worker}         \else \set worker         outbox_worker    \endif
\if :{?reader}         \else \set reader         outbox_reader    \endif
\set ON_ERROR_STOP on

GRANT SELECT ON :"schema".outbox_forwarding_schema_history TO :"publisher", :"worker", :"reader";

GRANT INSERT (aggregate_type, aggregate_id, topic, last_seq),
      SELECT (aggregate_type, aggregate_id, topic, last_seq),
      UPDATE (last_seq)
   ON :"schema".outbox_received TO :"publisher";

GRANT SELECT ON :"schema".outbox_received TO :"reader";
