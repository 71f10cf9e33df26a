CREATE SCHEMA licensing;

CREATE TABLE licensing.licenses (
    id               uuid        NOT NULL,
    subscription_id  uuid,
    subscription_seq bigint,
    billing_key_id   uuid,
    guild_id         text        NOT NULL,
    user_id          text,
    plan_code        text        NOT NULL,
    status           text        NOT NULL DEFAULT 'active',
    granted_at       timestamptz NOT NULL DEFAULT now(),
    expires_at       timestamptz,
    CONSTRAINT licenses_pk PRIMARY KEY (id),
    CONSTRAINT licenses_subscription UNIQUE (subscription_id),
    CONSTRAINT licenses_status_known CHECK (status IN ('active', 'suspended', 'canceled'))
);

CREATE INDEX licenses_granted_at ON licensing.licenses (granted_at);
CREATE INDEX licenses_guild ON licensing.licenses (guild_id);
CREATE INDEX licenses_billing_key ON licensing.licenses (billing_key_id);
CREATE UNIQUE INDEX licenses_free ON licensing.licenses (guild_id) WHERE subscription_id IS NULL;

COMMENT ON COLUMN licensing.licenses.subscription_id IS 'The natural key that makes granting idempotent; NULL for the free license of a guild';
COMMENT ON COLUMN licensing.licenses.subscription_seq IS 'aggregate_seq of the last event of the subscription that changed the license';
COMMENT ON COLUMN licensing.licenses.granted_at IS 'When the event that granted it occurred; an older kick of the bot does not suspend it';
COMMENT ON COLUMN licensing.licenses.user_id IS 'Who pays for it; NULL if it is free';
COMMENT ON COLUMN licensing.licenses.billing_key_id IS 'What pays for the license, as the event that granted it said beside its payload';
