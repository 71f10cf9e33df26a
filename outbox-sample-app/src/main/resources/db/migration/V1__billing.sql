CREATE SCHEMA billing;

CREATE TABLE billing.subscriptions (
    id         uuid        NOT NULL,
    guild_id   text        NOT NULL,
    plan_code  text        NOT NULL,
    status     text        NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT subscriptions_pk PRIMARY KEY (id)
);
