CREATE SCHEMA billing;

CREATE TABLE billing.billing_keys (
    id        uuid        NOT NULL,
    user_id   text        NOT NULL,
    status    text        NOT NULL DEFAULT 'issued',
    issued_at timestamptz NOT NULL DEFAULT now(),
    auth_key  text,
    bank_key  text,
    CONSTRAINT billing_keys_pk PRIMARY KEY (id),
    CONSTRAINT billing_keys_status_known CHECK (status IN ('issued', 'deleted'))
);

COMMENT ON COLUMN billing.billing_keys.auth_key IS 'Authorization of the user, until it is exchanged for bank_key';
COMMENT ON COLUMN billing.billing_keys.bank_key IS 'The secret by which the bank knows the key; NULL if the bank is simulated';

CREATE TABLE billing.subscriptions (
    id                   uuid        NOT NULL,
    guild_id             text        NOT NULL,
    billing_key_id       uuid        NOT NULL,
    plan_code            text        NOT NULL,
    next_plan_code       text,
    status               text        NOT NULL DEFAULT 'pending',
    cancel_at_period_end boolean     NOT NULL DEFAULT false,
    retry_count          integer     NOT NULL DEFAULT 0,
    paid_periods         integer     NOT NULL DEFAULT 0,
    period_end           timestamptz,
    next_charge_at       timestamptz NOT NULL DEFAULT now(),
    ordered_at           timestamptz NOT NULL DEFAULT now(),
    started_at           timestamptz,
    CONSTRAINT subscriptions_pk PRIMARY KEY (id),
    CONSTRAINT subscriptions_billing_key FOREIGN KEY (billing_key_id) REFERENCES billing.billing_keys (id),
    CONSTRAINT subscriptions_status_known CHECK (status IN ('pending', 'active', 'past_due', 'suspended', 'canceled'))
);

CREATE INDEX subscriptions_guild ON billing.subscriptions (guild_id);
CREATE UNIQUE INDEX subscriptions_guild_once
    ON billing.subscriptions (guild_id)
    WHERE status IN ('pending', 'active', 'past_due');
CREATE INDEX subscriptions_billing_key ON billing.subscriptions (billing_key_id);
CREATE INDEX subscriptions_due
    ON billing.subscriptions (next_charge_at)
    WHERE status IN ('pending', 'active', 'past_due');
CREATE INDEX subscriptions_ending
    ON billing.subscriptions (period_end)
    WHERE status IN ('active', 'past_due') AND cancel_at_period_end;

COMMENT ON COLUMN billing.subscriptions.next_charge_at IS 'When a worker may claim the subscription; a claim moves it ahead, as a lease. After a failed payment, when it is tried again';
COMMENT ON COLUMN billing.subscriptions.ordered_at IS 'An older kick of the bot does not suspend the subscription';

CREATE TABLE billing.charges (
    id              uuid        NOT NULL,
    subscription_id uuid        NOT NULL,
    billing_key_id  uuid        NOT NULL,
    plan_code       text        NOT NULL,
    amount          bigint      NOT NULL,
    currency        text        NOT NULL,
    period          integer,
    attempt         integer,
    status          text        NOT NULL DEFAULT 'open',
    opened_at       timestamptz NOT NULL DEFAULT now(),
    closed_at       timestamptz,
    CONSTRAINT charges_pk PRIMARY KEY (id),
    CONSTRAINT charges_subscription FOREIGN KEY (subscription_id) REFERENCES billing.subscriptions (id),
    CONSTRAINT charges_status_known CHECK (status IN ('open', 'succeeded', 'failed', 'canceled')),
    CONSTRAINT charges_attempt_once UNIQUE (subscription_id, period, attempt)
);

-- A period is paid once: while one of its charges is open or has succeeded, no other charge can be opened.
CREATE UNIQUE INDEX charges_period_once ON billing.charges (subscription_id, period) WHERE status IN ('open', 'succeeded');
CREATE UNIQUE INDEX charges_open_once ON billing.charges (subscription_id) WHERE status = 'open';
CREATE INDEX charges_open ON billing.charges (opened_at) WHERE status = 'open';

COMMENT ON COLUMN billing.charges.id IS 'The idempotency key at the bank';
COMMENT ON COLUMN billing.charges.period IS 'The paid period of the subscription, counted from 1; NULL for an upgrade within a period';
COMMENT ON COLUMN billing.charges.amount IS 'In the smallest unit of the currency';
COMMENT ON COLUMN billing.charges.opened_at IS 'When a worker opened it, or claimed it last';
COMMENT ON COLUMN billing.charges.attempt IS 'The attempt to pay for the period, counted from 1';

CREATE TABLE billing.simulated_collections (
    charge_id      uuid        NOT NULL,
    billing_key_id uuid        NOT NULL,
    amount         bigint      NOT NULL,
    currency       text        NOT NULL,
    status         text        NOT NULL,
    requests       integer     NOT NULL DEFAULT 1,
    answered_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT simulated_collections_pk PRIMARY KEY (charge_id),
    CONSTRAINT simulated_collections_status_known CHECK (status IN ('paid', 'declined', 'canceled'))
);

COMMENT ON TABLE billing.simulated_collections IS 'The answers of the simulated bank: one for each idempotency key';
