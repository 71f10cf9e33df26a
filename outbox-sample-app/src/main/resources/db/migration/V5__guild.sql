CREATE SCHEMA guild;

CREATE TABLE guild.guilds (
    id         text        NOT NULL,
    owner_id   text        NOT NULL,
    status     text        NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT guilds_pk PRIMARY KEY (id),
    CONSTRAINT guilds_status_known CHECK (status IN ('installed', 'kicked', 'deleted'))
);
