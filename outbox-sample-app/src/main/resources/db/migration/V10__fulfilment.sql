CREATE SCHEMA fulfilment;

CREATE TABLE fulfilment.aggregate_checkpoint (
    aggregate_type text   NOT NULL,
    aggregate_id   text   NOT NULL,
    last_seq       bigint NOT NULL,
    CONSTRAINT aggregate_checkpoint_pk PRIMARY KEY (aggregate_type, aggregate_id)
);

COMMENT ON TABLE fulfilment.aggregate_checkpoint IS 'The last event of each aggregate that was processed: only the next one is admitted';

CREATE TABLE fulfilment.fulfilments (
    order_id text NOT NULL,
    item     text NOT NULL,
    status   text NOT NULL DEFAULT 'waiting',
    CONSTRAINT fulfilments_pk PRIMARY KEY (order_id),
    CONSTRAINT fulfilments_status_known CHECK (status IN ('waiting', 'ready', 'stopped'))
);

CREATE TABLE fulfilment.sales (
    item text   NOT NULL,
    sold bigint NOT NULL,
    CONSTRAINT sales_pk PRIMARY KEY (item)
);

-- Tables of the simulated courier, which stands for an external system.
CREATE TABLE fulfilment.parcels (
    key       uuid        NOT NULL,
    order_id  text        NOT NULL,
    requests  bigint      NOT NULL DEFAULT 1,
    booked_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT parcels_pk PRIMARY KEY (key)
);

CREATE INDEX parcels_order ON fulfilment.parcels (order_id);
