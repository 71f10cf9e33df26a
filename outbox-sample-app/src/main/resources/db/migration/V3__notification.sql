CREATE SCHEMA notification;

CREATE TABLE notification.notification_log (
    event_id     uuid        NOT NULL,
    recipient    text,
    message      text,
    state        text        NOT NULL DEFAULT 'requested',
    failure      text,
    requested_at timestamptz NOT NULL DEFAULT now(),
    sent_at      timestamptz,
    CONSTRAINT notification_log_pk PRIMARY KEY (event_id),
    CONSTRAINT notification_log_state_known CHECK (state IN ('requested', 'sent', 'failed')),
    CONSTRAINT notification_log_complete CHECK (state = 'failed' OR (recipient IS NOT NULL AND message IS NOT NULL)),
    CONSTRAINT notification_log_failure CHECK ((state = 'failed') = (failure IS NOT NULL)),
    CONSTRAINT notification_log_sent CHECK ((state = 'sent') = (sent_at IS NOT NULL))
);

CREATE INDEX notification_log_requested_at ON notification.notification_log (requested_at);

CREATE TABLE notification.guild_owners (
    guild_id text   NOT NULL,
    owner_id text   NOT NULL,
    seq      bigint NOT NULL,
    CONSTRAINT guild_owners_pk PRIMARY KEY (guild_id)
);

COMMENT ON COLUMN notification.guild_owners.seq IS 'Of the event that named the owner: an earlier one changes nothing';
COMMENT ON COLUMN notification.notification_log.event_id IS 'One message per event, however often the event comes; the idempotency key of the messenger';
