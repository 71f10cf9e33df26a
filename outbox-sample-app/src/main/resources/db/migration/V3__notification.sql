CREATE SCHEMA notification;

CREATE TABLE notification.notification_log (
    event_id  uuid        NOT NULL,
    recipient text        NOT NULL,
    message   text        NOT NULL,
    sent_at   timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT notification_log_pk PRIMARY KEY (event_id)
);

CREATE INDEX notification_log_sent_at ON notification.notification_log (sent_at);

COMMENT ON COLUMN notification.notification_log.event_id IS 'One message per event, however often the event comes';
