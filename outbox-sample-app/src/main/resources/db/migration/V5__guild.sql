CREATE SCHEMA guild;

CREATE TABLE guild.guilds (
    id         text        NOT NULL,
    owner_id   text        NOT NULL,
    status     text        NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    session_id text,
    seq        bigint,
    CONSTRAINT guilds_pk PRIMARY KEY (id),
    CONSTRAINT guilds_status_known CHECK (status IN ('installed', 'kicked', 'deleted'))
);

COMMENT ON COLUMN guild.guilds.seq IS 'Sequence of the last gateway event in the session session_id, so that a repeated event changes nothing';
