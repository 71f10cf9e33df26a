CREATE SCHEMA ordering;

CREATE SEQUENCE ordering.order_number START 10001;

CREATE TABLE ordering.orders (
    id        text        NOT NULL DEFAULT 'ORD-' || nextval('ordering.order_number'),
    item      text        NOT NULL,
    status    text        NOT NULL DEFAULT 'placed',
    version   bigint      NOT NULL DEFAULT 1,
    placed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT orders_pk PRIMARY KEY (id),
    CONSTRAINT orders_status_known CHECK (status IN ('placed', 'paid', 'canceled'))
);

COMMENT ON COLUMN ordering.orders.version IS 'Grows by one with each change; the sequence of the event that tells of it';
