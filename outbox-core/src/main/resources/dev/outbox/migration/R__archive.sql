-- The archive of published events. Runs again when outbox.retention.archive-schema changes. IF NOT EXISTS: several outboxes of one
-- database may share it.
DO $block$ BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('outbox archive ${archive_schema}', 0));
    IF to_regnamespace('${archive_schema}') IS NULL THEN
        CREATE SCHEMA ${archive_schema};
    END IF;
END $block$;

CREATE TABLE IF NOT EXISTS ${archive_schema}.events (
    id              bigserial        NOT NULL,
    outbox_event_id uuid             NOT NULL,
    stream          text COLLATE "C" NOT NULL,
    aggregate_type  text COLLATE "C" NOT NULL,
    aggregate_id    text COLLATE "C" NOT NULL,
    aggregate_seq   bigint           NOT NULL,
    event_type      text COLLATE "C" NOT NULL,
    schema_version  integer          NOT NULL,
    payload         jsonb            NOT NULL,
    headers         jsonb            NOT NULL,
    occurred_at     timestamptz      NOT NULL,
    published_at    timestamptz      NOT NULL,
    retry_count     integer          NOT NULL,
    archived_at     timestamptz      NOT NULL DEFAULT now(),
    -- Handlers whose delivery an operator skipped before the event was published.
    skipped_handlers text[]          NOT NULL DEFAULT '{}',
    erased_at       timestamptz,
    CONSTRAINT events_pk PRIMARY KEY (id),
    CONSTRAINT events_outbox_event_id UNIQUE (outbox_event_id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
