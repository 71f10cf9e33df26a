CREATE SCHEMA notification;

CREATE TABLE notification.notifications (
    event_id uuid        NOT NULL,
    guild_id text        NOT NULL,
    message  text        NOT NULL,
    sent_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT notifications_pk PRIMARY KEY (event_id)
);

CREATE INDEX notifications_sent_at ON notification.notifications (sent_at);

COMMENT ON COLUMN notification.notifications.event_id IS 'The inbox: one message per event, however often the event comes';
