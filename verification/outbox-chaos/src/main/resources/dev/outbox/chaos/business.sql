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
