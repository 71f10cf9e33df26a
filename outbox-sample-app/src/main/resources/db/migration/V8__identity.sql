CREATE SCHEMA identity;

CREATE TABLE identity.users (
    id              uuid        NOT NULL,
    discord_user_id text        NOT NULL,
    registered_at   timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT users_pk PRIMARY KEY (id),
    CONSTRAINT users_discord_user UNIQUE (discord_user_id)
);

CREATE TABLE identity.sessions (
    id         uuid        NOT NULL,
    user_id    uuid        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT sessions_pk PRIMARY KEY (id),
    CONSTRAINT sessions_user FOREIGN KEY (user_id) REFERENCES identity.users (id)
);
