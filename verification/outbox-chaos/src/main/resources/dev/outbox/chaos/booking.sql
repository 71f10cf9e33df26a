-- What the deduplicating handler does. Without a unique key: a second row is a second execution that committed.
CREATE TABLE chaos.booking (
    event_id uuid NOT NULL,
    handler  text NOT NULL
);
