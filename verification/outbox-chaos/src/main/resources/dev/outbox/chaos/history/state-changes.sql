-- Records every change of state of the outbox in the schema "events", in the transaction that makes it: what PostgreSQL forgets in a
-- crash, it forgets here too. The id of two changes of one row is in the order of the changes, since the row is locked meanwhile.
CREATE SCHEMA IF NOT EXISTS chaos;

CREATE TABLE chaos.state_change (
    id               bigserial   NOT NULL PRIMARY KEY,
    at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    txid             xid8        NOT NULL DEFAULT pg_current_xact_id(),
    application      text        NOT NULL DEFAULT current_setting('application_name'),
    kind             text        NOT NULL, -- EVENT, DELIVERY, LANE (claimed), CLAIM or OPERATION
    outbox_id        bigint,               -- of the event; of the claim
    event_id         uuid,
    handler          text,
    old_status       text        NOT NULL DEFAULT 'NONE',
    new_status       text        NOT NULL DEFAULT 'NONE', -- of an operation: what the operator did
    attempts         integer     NOT NULL DEFAULT 0,
    retries          integer     NOT NULL DEFAULT 0,
    crashes          integer     NOT NULL DEFAULT 0,
    old_attempts     integer     NOT NULL DEFAULT 0,
    old_retries      integer     NOT NULL DEFAULT 0,
    error_code       text,
    old_token        uuid,
    token            uuid,
    old_locked_until timestamptz,
    locked_until     timestamptz,
    replay           boolean     NOT NULL DEFAULT false,
    event_ids        bigint[]
);

CREATE FUNCTION chaos.record_event() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO chaos.state_change (kind, outbox_id, event_id, new_status, attempts, retries)
        VALUES ('EVENT', NEW.id, NEW.event_id, NEW.status, NEW.attempt_count, NEW.retry_count);
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO chaos.state_change (kind, outbox_id, event_id, old_status, old_attempts, old_retries)
        VALUES ('EVENT', OLD.id, OLD.event_id, OLD.status, OLD.attempt_count, OLD.retry_count);
    ELSE
        INSERT INTO chaos.state_change
               (kind, outbox_id, event_id, old_status, new_status, attempts, retries, old_attempts, old_retries, error_code)
        VALUES ('EVENT', NEW.id, NEW.event_id, OLD.status, NEW.status, NEW.attempt_count, NEW.retry_count, OLD.attempt_count,
                OLD.retry_count, NEW.last_error_code);
    END IF;
    RETURN NULL;
END
$$;

-- A delivery has the crashes of its lane, and the token of the claim that has it.
CREATE FUNCTION chaos.record_delivery() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    one   events.outbox_delivery;
    event uuid;
    lane  events.outbox_lane;
    claim uuid;
BEGIN
    IF TG_OP = 'DELETE' THEN
        one := OLD;
    ELSE
        one := NEW;
    END IF;
    event := (SELECT o.event_id FROM events.outbox o WHERE o.id = one.outbox_id LIMIT 1);
    SELECT l.* INTO lane
      FROM events.outbox_lane l
     WHERE l.aggregate_type = one.aggregate_type
       AND l.aggregate_id = one.aggregate_id
       AND l.handler_id = one.handler_id;
    claim := (SELECT c.token FROM events.outbox_claim c WHERE c.id = lane.claim_id);
    IF TG_OP = 'INSERT' THEN
        INSERT INTO chaos.state_change
               (kind, outbox_id, event_id, handler, new_status, attempts, retries, error_code, replay)
        VALUES ('DELIVERY', NEW.outbox_id, event, NEW.handler_id, NEW.status, NEW.attempt_count, NEW.retry_count,
                NEW.last_error_code, NEW.replay_id IS NOT NULL);
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO chaos.state_change
               (kind, outbox_id, event_id, handler, old_status, old_attempts, old_retries, old_token, replay)
        VALUES ('DELIVERY', OLD.outbox_id, event, OLD.handler_id, OLD.status, OLD.attempt_count, OLD.retry_count, claim,
                OLD.replay_id IS NOT NULL);
    ELSE
        INSERT INTO chaos.state_change
               (kind, outbox_id, event_id, handler, old_status, new_status, attempts, retries, crashes, old_attempts, old_retries,
                error_code, old_token, token, replay)
        VALUES ('DELIVERY', NEW.outbox_id, event, NEW.handler_id, OLD.status, NEW.status, NEW.attempt_count, NEW.retry_count,
                coalesce(lane.crash_count, 0), OLD.attempt_count, OLD.retry_count, NEW.last_error_code, claim, claim,
                NEW.replay_id IS NOT NULL);
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION chaos.record_lane() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO chaos.state_change (kind, outbox_id, handler, old_status, new_status, old_token, token, old_locked_until, locked_until)
    SELECT 'LANE', 0, NEW.handler_id, 'LANE', 'LEASED', former.token, c.token, nullif(former.locked_until, '-infinity'), c.locked_until
      FROM events.outbox_claim c
      LEFT JOIN events.outbox_claim former ON former.id = OLD.claim_id
     WHERE c.id = NEW.claim_id;
    RETURN NULL;
END
$$;

CREATE FUNCTION chaos.record_claim() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO chaos.state_change (kind, outbox_id, new_status, token, locked_until, event_ids)
        VALUES ('CLAIM', NEW.id, 'CLAIMED', NEW.token, NEW.locked_until, NEW.event_ids);
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO chaos.state_change (kind, outbox_id, old_status, old_token, old_locked_until)
        VALUES ('CLAIM', OLD.id, 'CLAIMED', OLD.token, nullif(OLD.locked_until, '-infinity'));
    ELSE
        INSERT INTO chaos.state_change
               (kind, outbox_id, old_status, new_status, old_token, token, old_locked_until, locked_until, event_ids)
        VALUES ('CLAIM', NEW.id, 'CLAIMED', 'CLAIMED', OLD.token, NEW.token, nullif(OLD.locked_until, '-infinity'),
                nullif(NEW.locked_until, '-infinity'),
                CASE WHEN NEW.event_ids <> OLD.event_ids THEN NEW.event_ids END);
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION chaos.record_operation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO chaos.state_change (kind, event_id, handler, old_status, new_status)
    VALUES ('OPERATION', NEW.event_id, NEW.handler_id, coalesce(NEW.previous_status, 'NONE'), NEW.action);
    RETURN NULL;
END
$$;

CREATE TRIGGER record_event AFTER INSERT OR UPDATE OF status, attempt_count, retry_count OR DELETE ON events.outbox
    FOR EACH ROW EXECUTE FUNCTION chaos.record_event();
CREATE TRIGGER record_delivery AFTER INSERT OR UPDATE OF status, attempt_count, retry_count OR DELETE ON events.outbox_delivery
    FOR EACH ROW EXECUTE FUNCTION chaos.record_delivery();
CREATE TRIGGER record_lane AFTER UPDATE OF claim_id ON events.outbox_lane
    FOR EACH ROW WHEN (NEW.claim_id IS NOT NULL AND NEW.claim_id IS DISTINCT FROM OLD.claim_id) EXECUTE FUNCTION chaos.record_lane();
-- A claim inserts the lanes that it keeps.
CREATE TRIGGER record_kept_lane AFTER INSERT ON events.outbox_lane
    FOR EACH ROW WHEN (NEW.claim_id IS NOT NULL) EXECUTE FUNCTION chaos.record_lane();
CREATE TRIGGER record_claim AFTER INSERT OR UPDATE OR DELETE ON events.outbox_claim
    FOR EACH ROW EXECUTE FUNCTION chaos.record_claim();
CREATE TRIGGER record_operation AFTER INSERT ON events.outbox_operation
    FOR EACH ROW EXECUTE FUNCTION chaos.record_operation();
