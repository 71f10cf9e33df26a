CREATE SCHEMA IF NOT EXISTS chaos;

-- What the publishers' transactions change together with the outbox.
CREATE TABLE chaos.account (
    id      text   PRIMARY KEY,
    version bigint NOT NULL
);

CREATE TABLE chaos.ledger (
    event_id       uuid   PRIMARY KEY,
    aggregate_id   text   NOT NULL,
    sequence       bigint NOT NULL,
    transaction_id text   NOT NULL
);

-- What the deduplicating handler does. Without a unique key: a second row is a second execution that committed.
CREATE TABLE chaos.booking (
    event_id uuid NOT NULL,
    handler  text NOT NULL
);
