-- The outbox archives to audit.events, so the first of the two creates the schema.
CREATE SCHEMA IF NOT EXISTS audit;

CREATE TABLE audit.entries (
    id              bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    outbox_event_id uuid        NOT NULL,
    event_type      text        NOT NULL,
    aggregate_type  text        NOT NULL,
    aggregate_id    text        NOT NULL,
    payload         jsonb       NOT NULL,
    trace_id        text,
    occurred_at     timestamptz NOT NULL,
    recorded_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT entries_pk PRIMARY KEY (id),
    CONSTRAINT entries_outbox_event_id UNIQUE (outbox_event_id)
);

CREATE INDEX entries_trace ON audit.entries (trace_id);

COMMENT ON COLUMN audit.entries.outbox_event_id IS 'UNIQUE, so that an event that comes again is not recorded again';
