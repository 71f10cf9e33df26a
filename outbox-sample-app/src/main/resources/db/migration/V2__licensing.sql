CREATE SCHEMA licensing;

CREATE TABLE licensing.licenses (
    id              uuid        NOT NULL,
    subscription_id uuid        NOT NULL,
    guild_id        text        NOT NULL,
    plan_code       text        NOT NULL,
    status          text        NOT NULL,
    granted_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT licenses_pk PRIMARY KEY (id),
    CONSTRAINT licenses_subscription UNIQUE (subscription_id)
);

CREATE INDEX licenses_granted_at ON licensing.licenses (granted_at);

COMMENT ON COLUMN licensing.licenses.subscription_id IS 'The natural key that makes granting idempotent';
