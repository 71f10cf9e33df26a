CREATE SCHEMA demo;

CREATE TABLE demo.handler_faults (
    handler_id   text    NOT NULL,
    fail_percent integer NOT NULL,
    slow_millis  integer NOT NULL,
    hang         boolean NOT NULL,
    CONSTRAINT handler_faults_pk PRIMARY KEY (handler_id)
);

CREATE TABLE demo.gateways (
    name  text NOT NULL,
    fault text NOT NULL DEFAULT 'NONE',
    CONSTRAINT gateways_pk PRIMARY KEY (name)
);

COMMENT ON TABLE demo.gateways IS 'The simulated systems that are not ours, and what they do wrong';

INSERT INTO demo.gateways (name) VALUES ('bank'), ('courier'), ('discord'), ('exchange'), ('push');
