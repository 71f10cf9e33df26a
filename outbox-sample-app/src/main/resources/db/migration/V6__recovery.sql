CREATE SCHEMA recovery;

CREATE TABLE recovery.snapshots (
    id       uuid        NOT NULL,
    number   bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    guild_id text        NOT NULL,
    trigger  text        NOT NULL,
    roles    text[]      NOT NULL,
    taken_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT snapshots_pk PRIMARY KEY (id)
);

CREATE INDEX snapshots_guild ON recovery.snapshots (guild_id, number);

CREATE TABLE recovery.restore_jobs (
    id          uuid        NOT NULL,
    snapshot_id uuid        NOT NULL,
    guild_id    text        NOT NULL,
    status      text        NOT NULL DEFAULT 'running',
    summary     text,
    started_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT restore_jobs_pk PRIMARY KEY (id),
    CONSTRAINT restore_jobs_status_known CHECK (status IN ('running', 'completed', 'failed'))
);

CREATE TABLE recovery.restore_steps (
    job_id      uuid    NOT NULL,
    number      integer NOT NULL,
    role        text    NOT NULL,
    restored_at timestamptz,
    CONSTRAINT restore_steps_pk PRIMARY KEY (job_id, number),
    CONSTRAINT restore_steps_job FOREIGN KEY (job_id) REFERENCES recovery.restore_jobs
);

COMMENT ON COLUMN recovery.restore_steps.restored_at IS 'Null while the step is open';

CREATE TABLE recovery.incidents (
    id          uuid        NOT NULL,
    guild_id    text        NOT NULL,
    pattern     text        NOT NULL,
    suspects    text        NOT NULL,
    actions     text        NOT NULL DEFAULT '',
    detected_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT incidents_pk PRIMARY KEY (id)
);

COMMENT ON COLUMN recovery.incidents.suspects IS 'Separated by commas, as are the actions';

CREATE TABLE recovery.deletions (
    entry_id   text        NOT NULL,
    guild_id   text        NOT NULL,
    user_id    text        NOT NULL,
    deleted_at timestamptz NOT NULL,
    counted    boolean     NOT NULL DEFAULT false,
    CONSTRAINT deletions_pk PRIMARY KEY (entry_id)
);

CREATE INDEX deletions_guild ON recovery.deletions (guild_id, deleted_at);

COMMENT ON TABLE recovery.deletions IS 'The latest deletions of channels and roles, by the ids of the audit logs of the guilds';
COMMENT ON COLUMN recovery.deletions.counted IS 'Whether it belongs to an incident';
