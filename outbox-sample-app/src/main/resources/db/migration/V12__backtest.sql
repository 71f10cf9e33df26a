CREATE SCHEMA backtest;

CREATE TABLE backtest.backtests (
    id           uuid        NOT NULL,
    owner_id     text        NOT NULL,
    strategy_key text        NOT NULL,
    market       text        NOT NULL,
    candles      integer     NOT NULL,
    status       text        NOT NULL DEFAULT 'queued',
    trades       integer,
    profit       numeric,
    reason       text,
    queued_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT backtests_pk PRIMARY KEY (id),
    CONSTRAINT backtests_status_known CHECK (status IN ('queued', 'completed', 'failed'))
);
