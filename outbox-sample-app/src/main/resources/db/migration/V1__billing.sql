CREATE SCHEMA billing;

CREATE TABLE billing.billing_keys (
    id        uuid        NOT NULL,
    user_id   text        NOT NULL,
    status    text        NOT NULL DEFAULT 'issued',
    declines  boolean     NOT NULL DEFAULT false,
    issued_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT billing_keys_pk PRIMARY KEY (id),
    CONSTRAINT billing_keys_status_known CHECK (status IN ('issued', 'deleted'))
);

COMMENT ON COLUMN billing.billing_keys.declines IS 'Simulated: whether the bank behind the key refuses to pay';

CREATE TABLE billing.subscriptions (
    id                   uuid        NOT NULL,
    guild_id             text        NOT NULL,
    billing_key_id       uuid        NOT NULL,
    plan_code            text        NOT NULL,
    next_plan_code       text,
    status               text        NOT NULL DEFAULT 'pending',
    cancel_at_period_end boolean     NOT NULL DEFAULT false,
    retry_count          integer     NOT NULL DEFAULT 0,
    period_end           timestamptz,
    next_charge_at       timestamptz NOT NULL DEFAULT now() + interval '10 minutes',
    started_at           timestamptz,
    CONSTRAINT subscriptions_pk PRIMARY KEY (id),
    CONSTRAINT subscriptions_billing_key FOREIGN KEY (billing_key_id) REFERENCES billing.billing_keys (id),
    CONSTRAINT subscriptions_status_known CHECK (status IN ('pending', 'active', 'past_due', 'suspended', 'canceled'))
);

CREATE INDEX subscriptions_guild ON billing.subscriptions (guild_id);
CREATE INDEX subscriptions_billing_key ON billing.subscriptions (billing_key_id);
CREATE INDEX subscriptions_due
    ON billing.subscriptions (next_charge_at)
    WHERE status IN ('pending', 'active', 'past_due');

CREATE TABLE billing.charges (
    id              uuid        NOT NULL,
    subscription_id uuid        NOT NULL,
    status          text        NOT NULL DEFAULT 'open',
    opened_at       timestamptz NOT NULL DEFAULT now(),
    closed_at       timestamptz,
    CONSTRAINT charges_pk PRIMARY KEY (id),
    CONSTRAINT charges_subscription FOREIGN KEY (subscription_id) REFERENCES billing.subscriptions (id),
    CONSTRAINT charges_status_known CHECK (status IN ('open', 'succeeded', 'failed'))
);

-- One charge at a time: a process that finds an open charge completes it instead of charging twice.
CREATE UNIQUE INDEX charges_open ON billing.charges (subscription_id) WHERE status = 'open';
