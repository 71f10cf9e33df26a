CREATE SCHEMA control;

CREATE TABLE control.settings (
    key        text        NOT NULL,
    value      text        NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT settings_pk PRIMARY KEY (key)
);

CREATE TABLE control.announced_operations (
    operation_id bigint NOT NULL,
    CONSTRAINT announced_operations_pk PRIMARY KEY (operation_id)
);

COMMENT ON TABLE control.announced_operations IS 'Operations on the outbox whose event is published';
