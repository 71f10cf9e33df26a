CREATE SCHEMA member;

CREATE TABLE member.members (
    id              uuid        NOT NULL,
    guild_id        text        NOT NULL,
    discord_user_id text        NOT NULL,
    slug            text        NOT NULL,
    roles           text        NOT NULL DEFAULT '',
    joined_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT members_pk PRIMARY KEY (id),
    CONSTRAINT members_guild UNIQUE (guild_id, discord_user_id)
);

COMMENT ON COLUMN member.members.roles IS 'Names, separated by commas';
