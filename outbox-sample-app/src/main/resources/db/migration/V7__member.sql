CREATE SCHEMA member;

CREATE TABLE member.members (
    id              uuid        NOT NULL,
    guild_id        text        NOT NULL,
    discord_user_id text        NOT NULL,
    slug            text        NOT NULL,
    roles           text[]      NOT NULL DEFAULT '{}',
    restored_by     uuid,
    joined_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT members_pk PRIMARY KEY (id),
    CONSTRAINT members_guild UNIQUE (guild_id, discord_user_id)
);

COMMENT ON COLUMN member.members.roles IS 'The roles that the last restore gave back';
COMMENT ON COLUMN member.members.restored_by IS 'The event that asked for the last restore, so that its redelivery publishes nothing';
