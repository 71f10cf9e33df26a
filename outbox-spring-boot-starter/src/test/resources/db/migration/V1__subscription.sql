-- The application's own first migration, beside the outbox's.
CREATE TABLE subscription (
    id   text NOT NULL PRIMARY KEY,
    plan text NOT NULL
);
