CREATE SCHEMA push;

CREATE TABLE push.inbox (
    id         uuid        NOT NULL DEFAULT gen_random_uuid(),
    user_id    text        NOT NULL,
    title      text        NOT NULL,
    body       text        NOT NULL,
    status     text        NOT NULL DEFAULT 'PENDING',
    attempts   integer     NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT inbox_pk PRIMARY KEY (id),
    CONSTRAINT inbox_status_known CHECK (status IN ('PENDING', 'SENT', 'FAILED'))
);

CREATE INDEX inbox_user ON push.inbox (user_id, created_at);

COMMENT ON TABLE push.inbox IS 'What users are to know: here for certain, on their phones if it can be done';
COMMENT ON COLUMN push.inbox.attempts IS 'How often the gateway was asked, or was about to be';

-- The simulated gateway, which stands for an external system.
CREATE TABLE push.gateway (
    down boolean NOT NULL
);

INSERT INTO push.gateway (down) VALUES (false);

CREATE TABLE push.devices (
    user_id  text    NOT NULL,
    failures integer NOT NULL DEFAULT 0,
    CONSTRAINT devices_pk PRIMARY KEY (user_id)
);

CREATE TABLE push.gateway_log (
    id         bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    message_id uuid        NOT NULL,
    user_id    text        NOT NULL,
    taken      boolean     NOT NULL,
    asked_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT gateway_log_pk PRIMARY KEY (id)
);

CREATE INDEX gateway_log_user ON push.gateway_log (user_id);
