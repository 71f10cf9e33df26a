CREATE SCHEMA control;

CREATE TABLE control.settings (
    key        text        NOT NULL,
    value      text        NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT settings_pk PRIMARY KEY (key)
);
