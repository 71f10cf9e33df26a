CREATE SCHEMA control;

CREATE TABLE control.settings (
    key        text        NOT NULL,
    value      text        NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT settings_pk PRIMARY KEY (key)
);

CREATE TABLE control.announced_operations (
    one_row boolean  NOT NULL DEFAULT true,
    up_to   bigint   NOT NULL DEFAULT 0,
    beyond  bigint[] NOT NULL DEFAULT '{}',
    CONSTRAINT announced_operations_pk PRIMARY KEY (one_row),
    CONSTRAINT announced_operations_one_row CHECK (one_row)
);

INSERT INTO control.announced_operations DEFAULT VALUES;

COMMENT ON TABLE control.announced_operations IS 'Operations on the outbox whose event is published';
COMMENT ON COLUMN control.announced_operations.up_to IS 'The last of those without a gap: the events of all earlier operations are published';
COMMENT ON COLUMN control.announced_operations.beyond IS 'The later ones, among which others may still commit';
