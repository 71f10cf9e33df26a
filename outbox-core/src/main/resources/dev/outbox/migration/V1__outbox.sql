-- The outbox. ${schema} and ${archive_schema} are quoted identifiers.

-- Every transaction has its own id before it draws an event id: the claim window relies on it.
CREATE SEQUENCE ${schema}.outbox_id_seq;

CREATE TABLE ${schema}.outbox (
    id              bigint           NOT NULL DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL
                                                           THEN nextval('${schema}.outbox_id_seq') END,
    event_id        uuid             NOT NULL DEFAULT gen_random_uuid(),
    stream          text COLLATE "C" NOT NULL DEFAULT 'default',
    aggregate_type  text COLLATE "C" NOT NULL,
    aggregate_id    text COLLATE "C" NOT NULL,
    aggregate_seq   bigint           NOT NULL,
    event_type      text COLLATE "C" NOT NULL,
    schema_version  integer          NOT NULL DEFAULT 1,
    payload         jsonb            NOT NULL,
    headers         jsonb            NOT NULL DEFAULT '{}',
    occurred_at     timestamptz      NOT NULL DEFAULT now(),
    status          text COLLATE "C" NOT NULL DEFAULT 'PENDING',
    attempt_count   integer          NOT NULL DEFAULT 0,
    retry_count     integer          NOT NULL DEFAULT 0,
    next_retry_at   timestamptz,
    last_attempt_at timestamptz,
    last_error_code text,
    last_error      text,
    dispatched_at   timestamptz,
    published_at    timestamptz,
    failures        jsonb,
    skipped_handlers text[] COLLATE "C",
    erased_at       timestamptz
) PARTITION BY LIST (published_at);

ALTER SEQUENCE ${schema}.outbox_id_seq OWNED BY ${schema}.outbox.id;

COMMENT ON TABLE ${schema}.outbox IS 'Every event: stored in the transaction of the domain change, moved to history when all handlers have succeeded';
COMMENT ON COLUMN ${schema}.outbox.aggregate_seq IS 'Order of the events of one aggregate; equal to commit order, unless the application gives other numbers';
COMMENT ON COLUMN ${schema}.outbox.attempt_count IS 'Attempts that did not complete the event, crashes included';
COMMENT ON COLUMN ${schema}.outbox.retry_count IS 'Attempts on the event in which a handler failed';
COMMENT ON COLUMN ${schema}.outbox.next_retry_at IS 'When the next of its deliveries is due: a copy for reading. To retry earlier, retry the deliveries';
COMMENT ON COLUMN ${schema}.outbox.dispatched_at IS 'When the first delivery to all handlers ended; NULL before';
COMMENT ON COLUMN ${schema}.outbox.failures IS 'Failed attempts of the deliveries that succeeded or were skipped, by handler';
COMMENT ON COLUMN ${schema}.outbox.skipped_handlers IS 'Handlers whose delivery an operator skipped before the event was published; * if its first delivery was withdrawn; NULL if there is none';
COMMENT ON COLUMN ${schema}.outbox.published_at IS 'When the last handler succeeded; NULL before';
COMMENT ON COLUMN ${schema}.outbox.erased_at IS 'When an operator erased payload, headers and error texts; NULL before';

-- The queue: events that are not published yet. It stays small, so vacuum it often and cheaply.
CREATE TABLE ${schema}.outbox_unpublished PARTITION OF ${schema}.outbox (
    CONSTRAINT outbox_unpublished_pk PRIMARY KEY (id),
    CONSTRAINT outbox_unpublished_event_id UNIQUE (event_id),
    CONSTRAINT outbox_unpublished_aggregate UNIQUE (aggregate_type, aggregate_id, aggregate_seq)
) FOR VALUES IN (NULL)
WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.2);

CREATE INDEX outbox_unpublished_pending
    ON ${schema}.outbox_unpublished (stream, id)
    WHERE dispatched_at IS NULL;

-- History, until retention archives it. Every table that grows with the events is vacuumed when a fiftieth of it is dead, or new: a
-- fifth of a long history, the default, would be millions of rows.
CREATE TABLE ${schema}.outbox_published PARTITION OF ${schema}.outbox (
    CONSTRAINT outbox_published_pk PRIMARY KEY (id),
    CONSTRAINT outbox_published_state CHECK (status = 'PUBLISHED' AND dispatched_at IS NOT NULL)
) DEFAULT
WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

CREATE INDEX outbox_published_event_id ON ${schema}.outbox_published (event_id);
CREATE INDEX outbox_published_at ON ${schema}.outbox_published (published_at);

-- A published event never changes, even if it is delivered again. The one exception is erasure: once, of what is delivered, and only for
-- roles that may update these columns.
CREATE FUNCTION ${schema}.outbox_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL AND NEW.published_at IS NOT NULL
       AND NEW.payload = '{}' AND NEW.headers = '{}' AND NEW.last_error IS NULL AND NEW.failures IS NULL
       AND to_jsonb(NEW) - '{payload,headers,last_error,failures,erased_at}'::text[]
           = to_jsonb(OLD) - '{payload,headers,last_error,failures,erased_at}'::text[] THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'event % is immutable: its payload, type, aggregate and identity never change', OLD.id
        USING ERRCODE = 'integrity_constraint_violation';
END
$function$;

CREATE TRIGGER outbox_immutable
    BEFORE UPDATE OF id, event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version,
                     payload, headers, occurred_at, erased_at
    ON ${schema}.outbox
    FOR EACH ROW
    EXECUTE FUNCTION ${schema}.outbox_refuse_change();

-- Refuses states that do not fit together. A trigger on updates, not a check constraint, which every INSERT of a publisher would have
-- to parse: four took 7 of its 32 µs. Publishers leave the state to the defaults; an INSERT by hand may name a wrong one.
CREATE FUNCTION ${schema}.outbox_refuse_state() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF (CASE WHEN NEW.published_at IS NOT NULL THEN NEW.status = 'PUBLISHED' AND NEW.dispatched_at IS NOT NULL
             WHEN NEW.dispatched_at IS NOT NULL THEN NEW.status IN ('RETRYING', 'DEAD')
             ELSE NEW.status = 'PENDING' END) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'event % cannot be % when it is dispatched at % and published at %',
        OLD.id, NEW.status, coalesce(NEW.dispatched_at::text, 'no time'), coalesce(NEW.published_at::text, 'no time')
        USING ERRCODE = 'check_violation',
              HINT = 'To deliver it again, retry its deliveries: OutboxOperations.retry, the console, or the actuator endpoint.';
END
$function$;

CREATE TRIGGER outbox_state
    BEFORE UPDATE OF status, dispatched_at, published_at
    ON ${schema}.outbox
    FOR EACH ROW
    EXECUTE FUNCTION ${schema}.outbox_refuse_state();

-- An event that handlers have not finished stays in the queue: without it, their deliveries would wait for ever. Statements of
-- the engine keep to that under their locks, and would pay 3 % of a redelivery for the look-up.
CREATE FUNCTION ${schema}.outbox_refuse_delete() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF (SELECT d.outbox_id FROM ${schema}.outbox_delivery d WHERE d.outbox_id = OLD.id LIMIT 1) IS NULL THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'event % is % and cannot leave the queue', OLD.id, OLD.status
        USING ERRCODE = 'foreign_key_violation',
              HINT = 'Skip its deliveries, and it becomes PUBLISHED; or erase its content. Both are in OutboxOperations and the console.';
END
$function$;

CREATE TRIGGER outbox_undelivered
    AFTER DELETE
    ON ${schema}.outbox_unpublished
    FOR EACH ROW
    WHEN (OLD.dispatched_at IS NOT NULL AND current_setting('outbox.engine', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION ${schema}.outbox_refuse_delete();

-- One row per stream, locked for the milliseconds of a claim. It holds the claim window: the ids at which claims start to read.
CREATE TABLE ${schema}.outbox_stream (
    stream            text COLLATE "C" NOT NULL,
    paused_until      timestamptz      NOT NULL DEFAULT '-infinity',
    registry_version  bigint           NOT NULL DEFAULT 0,
    low_water_mark    bigint           NOT NULL DEFAULT 0,
    safe_mark         bigint           NOT NULL DEFAULT 0,
    horizon           xid8             NOT NULL DEFAULT '0',
    open_writers      integer          NOT NULL DEFAULT 0,
    next_mark         bigint           NOT NULL DEFAULT 0,
    next_horizon      xid8             NOT NULL DEFAULT '0',
    next_safe_mark    bigint           NOT NULL DEFAULT 0,
    next_safe_horizon xid8             NOT NULL DEFAULT '0',
    first_claim       bigint           NOT NULL DEFAULT 0,
    advanced_at       timestamptz      NOT NULL DEFAULT 'epoch',
    CONSTRAINT outbox_stream_pk PRIMARY KEY (stream)
) WITH (fillfactor = 50);

COMMENT ON COLUMN ${schema}.outbox_stream.paused_until IS 'When its pause ends: infinity if an operator has to resume it, over if it is not paused';
COMMENT ON COLUMN ${schema}.outbox_stream.low_water_mark IS 'Every event below it is dispatched, as long as open_writers transactions before the horizon are running';
COMMENT ON COLUMN ${schema}.outbox_stream.safe_mark IS 'Every event below it is dispatched, and no transaction can add one';
COMMENT ON COLUMN ${schema}.outbox_stream.horizon IS 'Only transactions before it can still add events below the low_water_mark';
COMMENT ON COLUMN ${schema}.outbox_stream.open_writers IS 'How many transactions before the horizon were running when the low_water_mark was set';
COMMENT ON COLUMN ${schema}.outbox_stream.next_mark IS 'The last event id when next_horizon was set: the next low_water_mark is at most one above it';
COMMENT ON COLUMN ${schema}.outbox_stream.next_horizon IS 'Every event id up to next_mark belongs to a transaction before it';
COMMENT ON COLUMN ${schema}.outbox_stream.next_safe_mark IS 'The last event id when next_safe_horizon was set: the next safe_mark is at most one above it';
COMMENT ON COLUMN ${schema}.outbox_stream.next_safe_horizon IS 'Every event id up to next_safe_mark belongs to a transaction before it; kept until all of these have ended';
COMMENT ON COLUMN ${schema}.outbox_stream.first_claim IS 'The stream has no claim with a smaller id';

-- One row: the incarnation of the database. PostgreSQL empties an UNLOGGED table whenever it recovers from a crash, is promoted or is
-- restored: the cases in which asynchronous commits may be lost. Claims of an earlier incarnation are void.
CREATE UNLOGGED TABLE ${schema}.outbox_incarnation (
    one_row boolean NOT NULL DEFAULT true,
    token   uuid    NOT NULL DEFAULT gen_random_uuid(),
    CONSTRAINT outbox_incarnation_pk PRIMARY KEY (one_row),
    CONSTRAINT outbox_incarnation_one_row CHECK (one_row)
);

INSERT INTO ${schema}.outbox_incarnation DEFAULT VALUES;

-- Identifies an aggregate in claims and locks. A collision only makes an aggregate wait. Inlined into every statement that calls it.
CREATE FUNCTION ${schema}.outbox_aggregate_hash(aggregate_type text, aggregate_id text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$
    SELECT hashtextextended(aggregate_type || chr(31) || aggregate_id, 0)
$function$;

-- Size of a payload as text, without decompressing those that are not compressed.
CREATE FUNCTION ${schema}.outbox_payload_size(payload jsonb) RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS $function$
    SELECT CASE WHEN pg_column_compression(payload) IS NULL THEN pg_column_size(payload) ELSE octet_length(payload::text) END
$function$;

-- One row per claimed batch, of events or of lanes. As long as it exists with the worker's token, and in its incarnation, the worker may write
-- outcomes.
CREATE TABLE ${schema}.outbox_claim (
    id           bigserial        NOT NULL,
    token        uuid             NOT NULL DEFAULT gen_random_uuid(),
    incarnation  uuid             NOT NULL,
    stream       text COLLATE "C" NOT NULL,
    worker       text             NOT NULL,
    claimed_at   timestamptz      NOT NULL DEFAULT clock_timestamp(),
    locked_until timestamptz      NOT NULL,
    event_ids    bigint[]         NOT NULL,
    aggregates   bigint[]         NOT NULL,
    CONSTRAINT outbox_claim_pk PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- The arrays live for milliseconds; compressing them takes a tenth of a claim.
ALTER TABLE ${schema}.outbox_claim ALTER COLUMN event_ids SET STORAGE EXTERNAL;
ALTER TABLE ${schema}.outbox_claim ALTER COLUMN aggregates SET STORAGE EXTERNAL;

COMMENT ON COLUMN ${schema}.outbox_claim.incarnation IS 'The incarnation of the database in which it was made';
COMMENT ON COLUMN ${schema}.outbox_claim.locked_until IS 'End of the lease; -infinity if no worker has the claim any more, and a lane of it could not be freed';
COMMENT ON COLUMN ${schema}.outbox_claim.event_ids IS 'The events; empty if it is a claim of lanes, which name it';
COMMENT ON COLUMN ${schema}.outbox_claim.aggregates IS 'Hashes of the aggregates whose events are claimed: no other claim may take events of these';

-- The last sequence counted for each aggregate, kept for ever: a sequence is never given twice. Its row lock orders concurrent publishers.
CREATE TABLE ${schema}.outbox_aggregate (
    aggregate_type text COLLATE "C" NOT NULL,
    aggregate_id   text COLLATE "C" NOT NULL,
    last_seq       bigint           NOT NULL,
    CONSTRAINT outbox_aggregate_pk PRIMARY KEY (aggregate_type, aggregate_id)
) WITH (fillfactor = 70);

-- Events that are due later. They are not in the order of their aggregate yet: they get their number when they move into the queue. Who
-- changes the scheduled events of an aggregate holds the lock of its counter.
CREATE TABLE ${schema}.outbox_scheduled (
    event_id       uuid             NOT NULL,
    stream         text COLLATE "C" NOT NULL,
    aggregate_type text COLLATE "C" NOT NULL,
    aggregate_id   text COLLATE "C" NOT NULL,
    key            text COLLATE "C",
    event_type     text COLLATE "C" NOT NULL,
    schema_version integer          NOT NULL,
    payload        jsonb            NOT NULL,
    headers        jsonb            NOT NULL,
    occurred_at    timestamptz,
    due_at         timestamptz      NOT NULL,
    refusals       integer          NOT NULL DEFAULT 0,
    last_error     text,
    CONSTRAINT outbox_scheduled_pk PRIMARY KEY (event_id),
    CONSTRAINT outbox_scheduled_key UNIQUE (aggregate_type, aggregate_id, key)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

COMMENT ON COLUMN ${schema}.outbox_scheduled.key IS 'By which the application replaces or cancels the event; NULL if it does not';
COMMENT ON COLUMN ${schema}.outbox_scheduled.refusals IS 'How often PostgreSQL refused to store the event in the queue; due_at is then the next attempt';
COMMENT ON COLUMN ${schema}.outbox_scheduled.last_error IS 'Why PostgreSQL last refused it';
COMMENT ON COLUMN ${schema}.outbox_scheduled.occurred_at IS 'NULL for the time at which the event is due';

CREATE INDEX outbox_scheduled_due
    ON ${schema}.outbox_scheduled (stream, due_at, event_id);

-- One row per aggregate type: either the outbox counts the events of its aggregates, or the application gives their sequences.
CREATE TABLE ${schema}.outbox_aggregate_type (
    aggregate_type text COLLATE "C" NOT NULL,
    counted        boolean          NOT NULL,
    origin         text,
    CONSTRAINT outbox_aggregate_type_pk PRIMARY KEY (aggregate_type)
);

COMMENT ON COLUMN ${schema}.outbox_aggregate_type.origin IS 'The service that publishes the events; NULL for those of this one';

-- One row per lane that has work: the ordered backlog of one handler for one aggregate. Its row is locked and claimed as one. Who
-- changes deliveries of a lane holds the lock of its row; the row exists as long as the lane has a delivery that is not dead, or blocks it.
CREATE TABLE ${schema}.outbox_lane (
    aggregate_type text COLLATE "C" NOT NULL,
    aggregate_id   text COLLATE "C" NOT NULL,
    handler_id     text COLLATE "C" NOT NULL,
    stream         text COLLATE "C" NOT NULL,
    first_seq      bigint           NOT NULL,
    due_at         timestamptz      NOT NULL,
    crash_count    integer          NOT NULL DEFAULT 0,
    claim_id       bigint,
    CONSTRAINT outbox_lane_pk PRIMARY KEY (aggregate_type, aggregate_id, handler_id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

COMMENT ON COLUMN ${schema}.outbox_lane.first_seq IS 'aggregate_seq of its first delivery, which is attempted next';
COMMENT ON COLUMN ${schema}.outbox_lane.due_at IS 'Next attempt; infinity behind a blocking dead letter; without meaning while the lane is claimed';
COMMENT ON COLUMN ${schema}.outbox_lane.crash_count IS 'Leases that expired under its first delivery, or 1 if one expired under an earlier delivery; above 0, deliveries go one at a time until the lane is empty';
COMMENT ON COLUMN ${schema}.outbox_lane.claim_id IS 'The row of outbox_claim that has it; NULL if it is free';

-- Free lanes in the order of their attempts; crash suspects, under which two leases expired, have a range of their own.
CREATE INDEX outbox_lane_due
    ON ${schema}.outbox_lane (stream, handler_id, (crash_count > 1), due_at)
    WHERE claim_id IS NULL;

-- The free lanes of a handler, suspects or others, to be read in the order of their attempts. Inlined into every statement that calls it.
CREATE FUNCTION ${schema}.outbox_free_lanes(of_stream text, of_handler text, suspects boolean) RETURNS SETOF ${schema}.outbox_lane
    LANGUAGE sql STABLE PARALLEL SAFE AS $function$
    SELECT l.*
      FROM ${schema}.outbox_lane l
     WHERE l.stream = of_stream
       AND l.handler_id = of_handler
       AND (l.crash_count > 1) = suspects
       AND l.claim_id IS NULL
$function$;

-- The lanes of a claim.
CREATE INDEX outbox_lane_claim
    ON ${schema}.outbox_lane (claim_id)
    WHERE claim_id IS NOT NULL;

-- One row per event and handler that is queued for redelivery.
CREATE TABLE ${schema}.outbox_delivery (
    outbox_id       bigint           NOT NULL,
    handler_id      text COLLATE "C" NOT NULL,
    stream          text COLLATE "C" NOT NULL,
    aggregate_type  text COLLATE "C" NOT NULL,
    aggregate_id    text COLLATE "C" NOT NULL,
    aggregate_seq   bigint           NOT NULL,
    event_type      text COLLATE "C" NOT NULL,
    source          text COLLATE "C" NOT NULL DEFAULT 'OWN',
    status          text COLLATE "C" NOT NULL,
    attempt_count   integer          NOT NULL DEFAULT 0,
    retry_count     integer          NOT NULL DEFAULT 0,
    next_retry_at   timestamptz,
    last_attempt_at timestamptz,
    last_error_code text COLLATE "C",
    last_error      text,
    failures        jsonb            NOT NULL DEFAULT '[]',
    replay_id       bigint,
    retry_id        bigint,
    created_at      timestamptz      NOT NULL DEFAULT now(),
    open_since      timestamptz      NOT NULL DEFAULT now(),
    report_at       timestamptz      NOT NULL DEFAULT 'epoch',
    CONSTRAINT outbox_delivery_pk PRIMARY KEY (outbox_id, handler_id),
    CONSTRAINT outbox_delivery_state CHECK (CASE status WHEN 'OPEN' THEN next_retry_at < 'infinity'
                                                        WHEN 'BLOCKING' THEN next_retry_at = 'infinity'
                                                        WHEN 'DEAD' THEN next_retry_at IS NULL END IS TRUE)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

COMMENT ON COLUMN ${schema}.outbox_delivery.source IS 'OWN, or RECEIVED if another service published the event';
COMMENT ON COLUMN ${schema}.outbox_delivery.status IS 'OPEN, DEAD, or BLOCKING: dead, and the later deliveries of its lane wait for an operator';
COMMENT ON COLUMN ${schema}.outbox_delivery.attempt_count IS 'Attempts that ended without success';
COMMENT ON COLUMN ${schema}.outbox_delivery.retry_count IS 'Attempts that failed';
COMMENT ON COLUMN ${schema}.outbox_delivery.next_retry_at IS 'Earliest next attempt; infinity for a blocking dead letter';
COMMENT ON COLUMN ${schema}.outbox_delivery.failures IS 'Failed attempts: the first one and the nine latest; a retry by an operator keeps them, since they are history';
COMMENT ON COLUMN ${schema}.outbox_delivery.replay_id IS 'The replay that added it; NULL for the first delivery of an event';
COMMENT ON COLUMN ${schema}.outbox_delivery.retry_id IS 'The retry in the background that retried it last; NULL if there was none, or an operator has retried it since';
COMMENT ON COLUMN ${schema}.outbox_delivery.open_since IS 'When it was queued, or retried by an operator';
COMMENT ON COLUMN ${schema}.outbox_delivery.report_at IS 'When the dead letter is due for the handler''s dead-letter method; infinity after the method succeeded';

-- The deliveries of a lane, in order: its first one is attempted next.
CREATE INDEX outbox_delivery_lane
    ON ${schema}.outbox_delivery (aggregate_type, aggregate_id, handler_id, aggregate_seq)
    WHERE status <> 'DEAD';
CREATE INDEX outbox_delivery_lane_dead
    ON ${schema}.outbox_delivery (aggregate_type, aggregate_id, handler_id, aggregate_seq)
    WHERE status = 'DEAD';
CREATE INDEX outbox_delivery_dead
    ON ${schema}.outbox_delivery (outbox_id, handler_id)
    WHERE status <> 'OPEN';
-- Dead letters that no dead-letter method has handled.
CREATE INDEX outbox_delivery_unreported
    ON ${schema}.outbox_delivery (handler_id, report_at)
    WHERE status <> 'OPEN' AND report_at < 'infinity';
-- Deliveries by stream, status, handler and what handlers select by: for gauges, expired handlers and operators.
CREATE INDEX outbox_delivery_backlog
    ON ${schema}.outbox_delivery (stream, status, handler_id, event_type, aggregate_type, source);
-- Failed deliveries by handler and error code.
CREATE INDEX outbox_delivery_failures
    ON ${schema}.outbox_delivery (handler_id, last_error_code, status, outbox_id)
    WHERE last_error_code IS NOT NULL;
CREATE INDEX outbox_delivery_replay
    ON ${schema}.outbox_delivery (replay_id, status)
    WHERE replay_id IS NOT NULL;
CREATE INDEX outbox_delivery_retry
    ON ${schema}.outbox_delivery (retry_id, status)
    WHERE retry_id IS NOT NULL;

-- Adds a failed attempt to those of a delivery, which are the first one and the nine latest; without a code, it adds none. Inlined into
-- every statement that calls it.
CREATE FUNCTION ${schema}.outbox_add_failure(failures jsonb, attempt integer, code text, error text, worker text, details jsonb) RETURNS jsonb
    LANGUAGE sql PARALLEL SAFE AS $function$
    SELECT CASE WHEN code IS NULL THEN failures
                ELSE CASE WHEN jsonb_array_length(failures) < 10 THEN failures ELSE failures - 1 END
                     || (jsonb_strip_nulls(jsonb_build_object('attempt', attempt, 'at', clock_timestamp(), 'code', code,
                                                              'message', coalesce(left(error, 500), ''), 'worker', worker))
                         || coalesce(details, '{}')) END
$function$;

-- The first transaction after a crash begins an incarnation. Claims of the one before have expired: their workers do not know which of
-- their writes the database has lost. Waits until no worker trusts an answer of the earlier incarnation (Lease.TRUSTED_FOR).
CREATE FUNCTION ${schema}.outbox_begin_incarnation() RETURNS uuid LANGUAGE plpgsql AS $function$
BEGIN
    INSERT INTO ${schema}.outbox_incarnation DEFAULT VALUES ON CONFLICT DO NOTHING;
    IF FOUND THEN
        PERFORM pg_sleep(0.25);
    END IF;
    RETURN (SELECT i.token FROM ${schema}.outbox_incarnation i);
END
$function$;

-- Events that are delivered to a handler again, or for the first time if they are older than it; and deliveries that are retried or skipped.
CREATE TABLE ${schema}.outbox_replay (
    id             bigserial        NOT NULL,
    handler_id     text COLLATE "C" NOT NULL,
    occurred_from  timestamptz,
    occurred_to    timestamptz,
    event_types    text[],
    aggregate_type text COLLATE "C",
    aggregate_id   text COLLATE "C",
    rate           integer          NOT NULL,
    kind           text COLLATE "C" NOT NULL DEFAULT 'REPLAY',
    event_id       uuid,
    deliveries     jsonb,
    after_id       bigint           NOT NULL DEFAULT 0,
    up_to_id       bigint           NOT NULL,
    command_id     bigint,
    total_count    bigint,
    fed_count      bigint           NOT NULL DEFAULT 0,
    busy_count     bigint           NOT NULL DEFAULT 0,
    fed_at         timestamptz      NOT NULL DEFAULT now(),
    requested_by   text             NOT NULL,
    reason         text             NOT NULL,
    created_at     timestamptz      NOT NULL DEFAULT now(),
    cancelled_by   text,
    finished_at    timestamptz,
    CONSTRAINT outbox_replay_pk PRIMARY KEY (id),
    CONSTRAINT outbox_replay_cancelled CHECK (cancelled_by IS NULL OR finished_at IS NOT NULL),
    CONSTRAINT outbox_replay_rate_positive CHECK (rate > 0),
    CONSTRAINT outbox_replay_kind CHECK (CASE kind WHEN 'REPLAY' THEN deliveries IS NULL
                                                   WHEN 'RETRY' THEN deliveries IS NOT NULL
                                                   WHEN 'SKIP' THEN deliveries IS NOT NULL END IS TRUE)
) WITH (fillfactor = 50);

COMMENT ON COLUMN ${schema}.outbox_replay.after_id IS 'Events up to this one have been looked at; fences the process that looks at the next ones';
COMMENT ON COLUMN ${schema}.outbox_replay.up_to_id IS 'The last event when the replay was asked for; later ones come by themselves';
COMMENT ON COLUMN ${schema}.outbox_replay.fed_at IS 'When its rate allows more events';
COMMENT ON COLUMN ${schema}.outbox_replay.kind IS 'REPLAY; or RETRY or SKIP of what deliveries selects';
COMMENT ON COLUMN ${schema}.outbox_replay.command_id IS 'Of the operations that a retry or skip records';
COMMENT ON COLUMN ${schema}.outbox_replay.total_count IS 'Deliveries that a retry or skip had before it at its start; NULL if they were not counted in time';
COMMENT ON COLUMN ${schema}.outbox_replay.fed_count IS 'Deliveries that were added, retried or skipped';
COMMENT ON COLUMN ${schema}.outbox_replay.busy_count IS 'Deliveries that a retry or skip found leased or locked, and left alone';
COMMENT ON COLUMN ${schema}.outbox_replay.finished_at IS 'When it had added its last delivery, or was cancelled';

CREATE INDEX outbox_replay_unfinished
    ON ${schema}.outbox_replay (id)
    WHERE finished_at IS NULL;
CREATE INDEX outbox_replay_command
    ON ${schema}.outbox_replay (command_id)
    WHERE command_id IS NOT NULL;

-- Handlers that instances have registered.
CREATE TABLE ${schema}.outbox_handler (
    id            text COLLATE "C" NOT NULL,
    aliases       text[]           NOT NULL DEFAULT '{}',
    registered_at timestamptz      NOT NULL DEFAULT now(),
    last_seen_at  timestamptz      NOT NULL DEFAULT now(),
    paused_until  timestamptz      NOT NULL DEFAULT '-infinity',
    CONSTRAINT outbox_handler_pk PRIMARY KEY (id)
);

COMMENT ON COLUMN ${schema}.outbox_handler.paused_until IS 'When its pause ends: infinity if an operator has to resume it, over if it is not paused';

-- Ends of pauses: each changes the registry that claims depend on.
CREATE INDEX outbox_handler_pause_end ON ${schema}.outbox_handler (paused_until) WHERE isfinite(paused_until);

-- Instances that poll. Each writes a heartbeat at least every 20 s, and every 5 s while a call of a handler lasts for a second or more.
CREATE TABLE ${schema}.outbox_instance (
    name          text COLLATE "C" NOT NULL,
    application   text,
    started_at    timestamptz      NOT NULL DEFAULT now(),
    last_seen_at  timestamptz      NOT NULL DEFAULT now(),
    streams       text[]           NOT NULL,
    open_circuits text[]           NOT NULL,
    handlers      text[]           NOT NULL DEFAULT '{}',
    subscriptions text[]           NOT NULL DEFAULT '{}',
    topics        text[]           NOT NULL DEFAULT '{}',
    stopped       text[]           NOT NULL DEFAULT '{}',
    activity      jsonb            NOT NULL DEFAULT '{}',
    CONSTRAINT outbox_instance_pk PRIMARY KEY (name)
) WITH (fillfactor = 50);

COMMENT ON COLUMN ${schema}.outbox_instance.name IS 'Worker of its claims';
COMMENT ON COLUMN ${schema}.outbox_instance.subscriptions IS 'What its version of its handlers takes: the keys of outbox_subscription, joined by U+001F';
COMMENT ON COLUMN ${schema}.outbox_instance.application IS 'Its spring.application.name; NULL if it has none';
COMMENT ON COLUMN ${schema}.outbox_instance.open_circuits IS 'Handlers whose circuit is open in the instance';
COMMENT ON COLUMN ${schema}.outbox_instance.handlers IS 'Ids of its handlers, with the former ids';
COMMENT ON COLUMN ${schema}.outbox_instance.topics IS 'Topics of its inboxes';
COMMENT ON COLUMN ${schema}.outbox_instance.stopped IS 'Inboxes that receive nothing in the instance, each with its problem';
COMMENT ON COLUMN ${schema}.outbox_instance.activity IS 'Calls of handlers that last for a second or more, and the run times of the last minute';

-- What the handlers take. Versions of an application that run at the same time may take different events.
CREATE TABLE ${schema}.outbox_subscription (
    handler_id     text COLLATE "C" NOT NULL,
    event_type     text COLLATE "C" NOT NULL,
    aggregate_type text COLLATE "C" NOT NULL DEFAULT '*',
    stream         text COLLATE "C" NOT NULL DEFAULT '*',
    source         text COLLATE "C" NOT NULL DEFAULT '*',
    registered_at  timestamptz      NOT NULL DEFAULT now(),
    last_seen_at   timestamptz      NOT NULL DEFAULT now(),
    CONSTRAINT outbox_subscription_pk PRIMARY KEY (handler_id, event_type, aggregate_type, stream, source),
    CONSTRAINT outbox_subscription_source_known CHECK (source IN ('*', 'OWN', 'RECEIVED'))
);

COMMENT ON TABLE ${schema}.outbox_subscription IS 'Events that handlers take: those with all four values; * stands for any';

-- Whether a subscription takes an event, or every event of another subscription. The event types of the library itself have to be named.
-- Inlined into every statement that calls it.
CREATE FUNCTION ${schema}.outbox_takes(own_event_type text, own_aggregate_type text, own_stream text, own_source text,
                                       event_type text, aggregate_type text, stream text, source text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$
    SELECT (own_event_type = event_type OR own_event_type = '*' AND NOT starts_with(event_type, 'outbox.'))
           AND own_aggregate_type IN (aggregate_type, '*')
           AND own_stream IN (stream, '*')
           AND own_source IN (source, '*')
$function$;

-- Whether another service published an event. Inlined into every statement that calls it.
CREATE FUNCTION ${schema}.outbox_source(headers jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$
    SELECT CASE WHEN headers ->> 'origin' IS NULL THEN 'OWN' ELSE 'RECEIVED' END
$function$;

-- Deduplication inbox: events that a handler has processed.
CREATE TABLE ${schema}.processed_event (
    event_id     uuid             NOT NULL,
    handler_id   text COLLATE "C" NOT NULL,
    processed_at timestamptz      NOT NULL DEFAULT now(),
    CONSTRAINT processed_event_pk PRIMARY KEY (event_id, handler_id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

CREATE INDEX processed_event_processed_at ON ${schema}.processed_event (processed_at);

-- Audit log of operations.
CREATE TABLE ${schema}.outbox_operation (
    id              bigserial        NOT NULL,
    performed_at    timestamptz      NOT NULL DEFAULT now(),
    performed_by    text             NOT NULL,
    action          text             NOT NULL,
    reason          text             NOT NULL,
    command_id      bigint,
    stream          text COLLATE "C",
    handler_id      text COLLATE "C",
    event_id        uuid,
    previous_status text,
    last_error_code text,
    last_error      text,
    paused_until    timestamptz,
    CONSTRAINT outbox_operation_pk PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

COMMENT ON COLUMN ${schema}.outbox_operation.command_id IS 'Of all operations of one command, from the sequence of the ids; NULL for a command of one operation';
COMMENT ON COLUMN ${schema}.outbox_operation.previous_status IS 'Of the delivery, where the operation was one on a delivery; so are the errors';
COMMENT ON COLUMN ${schema}.outbox_operation.paused_until IS 'When the pause ends by itself; NULL if an operator has to end it, or it is none';

CREATE INDEX outbox_operation_event ON ${schema}.outbox_operation (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX outbox_operation_handler ON ${schema}.outbox_operation (handler_id, id);
CREATE INDEX outbox_operation_command ON ${schema}.outbox_operation (command_id, id) WHERE command_id IS NOT NULL;
CREATE INDEX outbox_operation_single ON ${schema}.outbox_operation (id) WHERE command_id IS NULL;
CREATE INDEX outbox_operation_pause ON ${schema}.outbox_operation (id) WHERE action IN ('PAUSE_HANDLER', 'PAUSE_STREAM');

-- For operators: every event with its current state and its worker.
CREATE VIEW ${schema}.outbox_status AS
SELECT o.id,
       o.event_id,
       o.stream,
       o.aggregate_type,
       o.aggregate_id,
       o.aggregate_seq,
       o.event_type,
       CASE WHEN c.id IS NOT NULL OR l.id IS NOT NULL THEN 'PROCESSING' ELSE o.status END AS status,
       coalesce(c.worker, l.worker) AS locked_by,
       coalesce(c.claimed_at, l.claimed_at) AS claimed_at,
       coalesce(c.locked_until, l.locked_until) AS locked_until,
       a.attempts AS attempt_count,
       a.attempts + (c.id IS NOT NULL OR l.id IS NOT NULL
                     OR o.published_at IS NOT NULL AND o.skipped_handlers IS NULL)::integer AS publish_attempt,
       o.retry_count,
       o.next_retry_at,
       greatest(o.last_attempt_at, c.claimed_at, l.claimed_at) AS last_attempt_at,
       o.last_error_code,
       o.last_error,
       o.occurred_at AS created_at,
       coalesce(greatest(o.last_attempt_at, c.claimed_at, l.claimed_at, o.dispatched_at, o.published_at,
                         (SELECT max(operation.performed_at)
                            FROM ${schema}.outbox_operation operation
                           WHERE operation.event_id = o.event_id)),
                o.occurred_at) AS updated_at,
       o.occurred_at,
       o.dispatched_at,
       o.published_at,
       coalesce(o.skipped_handlers, '{}') AS skipped_handlers
  FROM ${schema}.outbox o
  LEFT JOIN LATERAL (SELECT claim.id, claim.worker, claim.claimed_at, claim.locked_until
                       FROM ${schema}.outbox_claim claim
                      WHERE o.dispatched_at IS NULL
                        AND o.id = ANY (claim.event_ids)
                        AND claim.locked_until >= now()
                      LIMIT 1) c ON true
  LEFT JOIN LATERAL (SELECT claim.id, claim.worker, claim.claimed_at, claim.locked_until
                       FROM ${schema}.outbox_delivery delivery
                       JOIN ${schema}.outbox_lane lane
                         ON lane.aggregate_type = delivery.aggregate_type
                        AND lane.aggregate_id = delivery.aggregate_id
                        AND lane.handler_id = delivery.handler_id
                       JOIN ${schema}.outbox_claim claim ON claim.id = lane.claim_id
                      WHERE delivery.outbox_id = o.id
                        AND delivery.status = 'OPEN'
                        AND o.status = 'RETRYING'
                        AND claim.locked_until >= now()
                      ORDER BY claim.locked_until DESC
                      LIMIT 1) l ON true
 CROSS JOIN LATERAL (SELECT greatest(o.attempt_count, (SELECT max(delivery.attempt_count)
                                                         FROM ${schema}.outbox_delivery delivery
                                                        WHERE delivery.outbox_id = o.id
                                                          AND o.status IN ('RETRYING', 'DEAD'))) AS attempts) a;

COMMENT ON COLUMN ${schema}.outbox_status.attempt_count IS 'Attempts that did not complete the event, or those of its delivery with the most';
COMMENT ON COLUMN ${schema}.outbox_status.publish_attempt IS 'attempt_count, with the running attempt or the one that completed the event';
COMMENT ON COLUMN ${schema}.outbox_status.last_attempt_at IS 'When it was claimed, or its last attempt ended';
COMMENT ON COLUMN ${schema}.outbox_status.created_at IS 'occurred_at: the time of the INSERT, unless the caller gave another';
COMMENT ON COLUMN ${schema}.outbox_status.updated_at IS 'The last claim, outcome or operation on the event; the expiry of a handler is none';
COMMENT ON COLUMN ${schema}.outbox_status.skipped_handlers IS 'Handlers whose delivery an operator skipped before the event was published; * if its first delivery was withdrawn';
