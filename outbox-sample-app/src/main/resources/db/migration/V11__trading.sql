CREATE SCHEMA trading;

CREATE TABLE trading.signals (
    id           uuid        NOT NULL,
    owner_id     text        NOT NULL,
    strategy_key text        NOT NULL,
    market       text        NOT NULL,
    side         text        NOT NULL,
    volume       numeric     NOT NULL,
    price        numeric,
    received_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT signals_pk PRIMARY KEY (id)
);

CREATE TABLE trading.order_intents (
    id            uuid        NOT NULL,
    signal_id     uuid        NOT NULL,
    owner_id      text        NOT NULL,
    strategy_key  text        NOT NULL,
    market        text        NOT NULL,
    side          text        NOT NULL,
    volume        numeric     NOT NULL,
    price         numeric,
    filled_volume numeric     NOT NULL DEFAULT 0,
    status        text        NOT NULL DEFAULT 'OPEN',
    reason        text,
    trace_id      text,
    intended_at   timestamptz NOT NULL DEFAULT now(),
    changed_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT order_intents_pk PRIMARY KEY (id),
    CONSTRAINT order_intents_signal FOREIGN KEY (signal_id) REFERENCES trading.signals (id),
    CONSTRAINT order_intents_status_known
        CHECK (status IN ('OPEN', 'ACCEPTED', 'PARTIALLY_FILLED', 'FILLED', 'REJECTED', 'EXHAUSTED', 'HALTED'))
);

CREATE TABLE trading.order_attempts (
    id              uuid        NOT NULL,
    order_intent_id uuid        NOT NULL,
    attempt_no      integer     NOT NULL,
    identifier      text        NOT NULL,
    status          text        NOT NULL DEFAULT 'CREATED',
    reason          text,
    retry_at        timestamptz,
    changed_at      timestamptz NOT NULL DEFAULT now(),
    closed_at       timestamptz,
    CONSTRAINT order_attempts_pk PRIMARY KEY (id),
    CONSTRAINT order_attempts_number UNIQUE (order_intent_id, attempt_no),
    CONSTRAINT order_attempts_identifier UNIQUE (identifier),
    CONSTRAINT order_attempts_intent FOREIGN KEY (order_intent_id) REFERENCES trading.order_intents (id),
    CONSTRAINT order_attempts_status_known
        CHECK (status IN ('CREATED', 'REQUESTED', 'ACKED', 'REJECTED', 'THROTTLED', 'UNKNOWN'))
);

CREATE INDEX order_attempts_requested ON trading.order_attempts (changed_at) WHERE status = 'REQUESTED';
CREATE INDEX order_attempts_unknown ON trading.order_attempts (changed_at, id) WHERE status = 'UNKNOWN';
CREATE INDEX order_attempts_throttled ON trading.order_attempts (retry_at)
    WHERE status = 'THROTTLED' AND retry_at IS NOT NULL;

COMMENT ON COLUMN trading.order_attempts.reason IS 'Reason for the status; for ACKED, the exchange''s id of the order';
COMMENT ON COLUMN trading.order_attempts.retry_at IS 'When another attempt is due after a throttled one; NULL once that is decided';
COMMENT ON COLUMN trading.order_attempts.closed_at IS 'When an order that was not filled had ended at the exchange, which is no longer asked for its executions';

CREATE TABLE trading.fills (
    attempt_id  uuid        NOT NULL,
    fill_id     text        NOT NULL,
    volume      numeric     NOT NULL,
    booked      boolean     NOT NULL,
    reported_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT fills_pk PRIMARY KEY (attempt_id, fill_id),
    CONSTRAINT fills_attempt FOREIGN KEY (attempt_id) REFERENCES trading.order_attempts (id),
    CONSTRAINT fills_volume_positive CHECK (volume > 0)
);

COMMENT ON COLUMN trading.fills.booked IS 'Whether the fill changed the position; false if it exceeds the volume of the order';

CREATE TABLE trading.positions (
    owner_id text    NOT NULL,
    market   text    NOT NULL,
    volume   numeric NOT NULL,
    CONSTRAINT positions_pk PRIMARY KEY (owner_id, market)
);

CREATE TABLE trading.settings (
    key   text   NOT NULL,
    value text   NOT NULL,
    seq   bigint NOT NULL,
    CONSTRAINT settings_pk PRIMARY KEY (key)
);

COMMENT ON COLUMN trading.settings.seq IS 'Of the event that told the value: an earlier one changes nothing';

-- The simulated exchange, which stands for an external system.
CREATE SCHEMA exchange;

CREATE TABLE exchange.markets (
    market    text NOT NULL,
    behaviour text NOT NULL,
    CONSTRAINT markets_pk PRIMARY KEY (market)
);

CREATE TABLE exchange.orders (
    identifier text        NOT NULL,
    order_id   text        NOT NULL,
    market     text        NOT NULL,
    side       text        NOT NULL,
    volume     numeric     NOT NULL,
    placements integer     NOT NULL DEFAULT 1,
    placed_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT orders_pk PRIMARY KEY (identifier)
);

CREATE INDEX orders_market ON exchange.orders (market);

COMMENT ON COLUMN exchange.orders.placements IS 'How often the order was placed: more than once would be a blind repetition';
