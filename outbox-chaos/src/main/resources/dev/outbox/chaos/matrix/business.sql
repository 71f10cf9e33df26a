CREATE SCHEMA chaos;

CREATE TABLE chaos.account (
    id      text   PRIMARY KEY,
    version bigint NOT NULL
);

CREATE TABLE chaos.ledger (
    event_id       uuid   PRIMARY KEY,
    aggregate_id   text   NOT NULL,
    sequence       bigint NOT NULL,
    transaction_id text   NOT NULL
);

-- Without a unique key: a second row is a double execution.
CREATE TABLE chaos.booking (
    event_id uuid NOT NULL,
    handler  text NOT NULL
);

CREATE FUNCTION chaos.refuse() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF NEW.aggregate_type = 'refused' THEN
        RAISE EXCEPTION 'history refuses this event' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$function$;

CREATE TRIGGER refuse
BEFORE INSERT ON events.outbox_published
FOR EACH ROW EXECUTE FUNCTION chaos.refuse();
