-- Refuses to store outcomes as an integrity constraint of the application might.
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
