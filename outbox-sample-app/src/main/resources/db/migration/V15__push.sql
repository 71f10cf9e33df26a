CREATE SCHEMA push;

-- Users, known from the events of identity.
CREATE TABLE push.recipients (
    user_id       text        NOT NULL,
    registered_at timestamptz NOT NULL,
    CONSTRAINT recipients_pk PRIMARY KEY (user_id)
);

-- A notice goes to every user who registered before it was published.
CREATE TABLE push.notices (
    id           uuid        NOT NULL,
    title        text        NOT NULL,
    body         text        NOT NULL,
    published_at timestamptz NOT NULL,
    CONSTRAINT notices_pk PRIMARY KEY (id)
);

CREATE INDEX notices_published ON push.notices (published_at);

CREATE TABLE push.inbox (
    id         uuid        NOT NULL DEFAULT gen_random_uuid(),
    user_id    text        NOT NULL,
    notice_id  uuid,
    title      text        NOT NULL,
    body       text        NOT NULL,
    status     text        NOT NULL DEFAULT 'PENDING',
    failure    text,
    attempts   integer     NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT inbox_pk PRIMARY KEY (id),
    CONSTRAINT inbox_notice FOREIGN KEY (notice_id) REFERENCES push.notices (id),
    CONSTRAINT inbox_notice_once UNIQUE (notice_id, user_id),
    CONSTRAINT inbox_status_known CHECK (status IN ('PENDING', 'SENT', 'FAILED')),
    CONSTRAINT inbox_failure_explained CHECK ((status = 'FAILED') = (failure IS NOT NULL))
);

CREATE INDEX inbox_user ON push.inbox (user_id, created_at);

COMMENT ON TABLE push.inbox IS 'Messages to users: stored for certain, pushed to devices as far as possible';
COMMENT ON COLUMN push.inbox.attempts IS 'How often a push was begun';
COMMENT ON COLUMN push.inbox.failure IS 'Why the push failed for good';

-- What is set depends on the gateway: a token, or a Web Push subscription.
CREATE TABLE push.devices (
    user_id       text        NOT NULL,
    id            uuid        NOT NULL DEFAULT gen_random_uuid(),
    token         text,
    endpoint      text,
    p256dh        text,
    auth          text,
    registered_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT devices_pk PRIMARY KEY (user_id),
    CONSTRAINT devices_subscription_complete CHECK (num_nulls(endpoint, p256dh, auth) IN (0, 3))
);

COMMENT ON COLUMN push.devices.id IS 'The registration: a device that is registered again has a new one';

-- The simulated gateway, which stands for an external system.
CREATE TABLE push.simulated_faults (
    user_id  text    NOT NULL,
    failures integer NOT NULL,
    CONSTRAINT simulated_faults_pk PRIMARY KEY (user_id)
);

CREATE TABLE push.simulated_sends (
    id         bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    message_id uuid        NOT NULL,
    user_id    text        NOT NULL,
    message    text        NOT NULL,
    taken      boolean     NOT NULL,
    asked_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT simulated_sends_pk PRIMARY KEY (id)
);

CREATE INDEX simulated_sends_user ON push.simulated_sends (user_id);
