-- Publishes an event from SQL, as OutboxPublisher does in Java: with its statements (PublishInSqlTest compares them), its refusals and the
-- caller's rights. Returns the event id, and the sequence unless the event is scheduled. The names of parameters are those of columns, so
-- statements qualify them with the name of the function, and their variables too. Runs again when this file changes, and keeps its grants
-- then: another parameter makes another function, so drop the old one in a numbered migration. A release that changes this file has a
-- numbered migration in any case: it tells an older release not to run its own file again.
CREATE OR REPLACE FUNCTION ${schema}.publish(
    aggregate_type text,
    aggregate_id   text,
    event_type     text,
    payload        jsonb,
    INOUT event_id uuid        DEFAULT NULL,
    INOUT sequence bigint      DEFAULT NULL,
    schema_version integer     DEFAULT 1,
    stream         text        DEFAULT 'default',
    headers        jsonb       DEFAULT '{}',
    occurred_at    timestamptz DEFAULT NULL,
    origin         text        DEFAULT NULL,
    deliver_at     timestamptz DEFAULT NULL,
    deliver_after  interval    DEFAULT NULL,
    key            text        DEFAULT NULL,
    keep_existing  boolean     DEFAULT false,
    wake           boolean     DEFAULT false
) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $function$
#variable_conflict use_column
<<publish>>
DECLARE
    -- Texts have the collation of the columns, not that of the arguments, which may fit neither the columns nor regular expressions.
    aggregate_type CONSTANT text COLLATE "C" := publish.aggregate_type;
    aggregate_id   CONSTANT text COLLATE "C" := publish.aggregate_id;
    event_type     CONSTANT text COLLATE "C" := publish.event_type;
    stream         CONSTANT text COLLATE "C" := coalesce(publish.stream, 'default');
    origin         CONSTANT text COLLATE "C" := publish.origin;
    type_origin    CONSTANT text COLLATE "C" := CASE WHEN publish.aggregate_type <> 'unordered' THEN publish.origin END;
    key            CONSTANT text COLLATE "C" := publish.key;
    visible        CONSTANT text COLLATE "C" :=
        '[^\u0009-\u000D\u001C-\u0020\u1680\u2000-\u2006\u2008-\u200A\u2028\u2029\u205F\u3000]';
    counts_once    CONSTANT text COLLATE "C" := '[^\U00010000-\U0010FFFF]';
    max_size       CONSTANT integer := 1048576;
    counted        CONSTANT boolean := publish.sequence IS NULL;
    is_scheduled   CONSTANT boolean := publish.deliver_at IS NOT NULL OR publish.deliver_after IS NOT NULL;
    event          CONSTANT text := format('%s of %s/%s', publish.event_type, publish.aggregate_type, publish.aggregate_id);
    delay_millis   bigint;
    type_added     boolean;
    is_stored      boolean := false;
    given          record;
    stored         record;
    problem        text;
    taken          text;
BEGIN
    IF current_setting('transaction_read_only')::boolean THEN
        RAISE EXCEPTION 'the transaction is read-only and cannot store an event'
            USING ERRCODE = 'read_only_sql_transaction', HINT = 'Publish in the transaction that makes the change.';
    END IF;
    schema_version := coalesce(publish.schema_version, 1);
    headers := coalesce(publish.headers, '{}');

    -- White space is that of Java, in every locale; and a character beyond the basic plane counts twice.
    SELECT n.name || CASE WHEN coalesce(n.value, '') !~ visible THEN ' must not be missing or blank'
                          ELSE ' must have at most 255 characters: ' || regexp_replace(left(n.value, 40), '[[:cntrl:]]', '?', 'g') || '...' END
      INTO problem
      FROM (VALUES ('aggregate type', publish.aggregate_type), ('aggregate id', publish.aggregate_id), ('stream', publish.stream),
                   ('key', coalesce(publish.key, '-')), ('origin', coalesce(publish.origin, '-'))) n (name, value)
     WHERE coalesce(n.value, '') !~ visible
        OR octet_length(n.value) > 255
           AND length(n.value) + length(regexp_replace(n.value, counts_once, '', 'g')) > 255
     LIMIT 1;

    problem := CASE
        WHEN problem IS NOT NULL
            THEN problem
        WHEN publish.event_type ~ '^[A-Za-z][A-Za-z0-9._-]{0,254}$' IS NOT TRUE
            THEN format('an event type must start with a letter and contain only letters, digits, dots, underscores and hyphens, at most '
                        '255 characters, such as OrderPlaced or order.placed.v1: ''%s''',
                        regexp_replace(left(publish.event_type, 40), '[[:cntrl:]]', '?', 'g'))
        WHEN publish.payload IS NULL
            THEN format('payload of %s must not be null', event)
        WHEN publish.schema_version < 1
            THEN format('version of %s must be at least 1: %s', event, publish.schema_version)
        WHEN publish.sequence NOT BETWEEN 0 AND 4611686018427387904
            THEN format('sequence of %s must be from 0 to 4611686018427387904: %s', event, publish.sequence)
        WHEN publish.occurred_at < '0001-01-01 00:00:00+00' OR publish.occurred_at >= '10000-01-01 00:00:00+00'
            THEN format('time of %s must be in the years 1 to 9999: %s', event, publish.occurred_at)
        WHEN NOT is_scheduled AND (publish.key IS NOT NULL OR publish.keep_existing)
            THEN format('%s has a key or keep_existing, which only scheduled events have; give deliver_after or deliver_at', event)
        WHEN publish.deliver_at IS NOT NULL AND publish.deliver_after IS NOT NULL
            THEN format('%s has deliver_at and deliver_after; give one of them', event)
        WHEN is_scheduled AND publish.event_id IS NOT NULL
            THEN format('%s is scheduled and must not have an event id: use key and keep_existing to schedule it once', event)
        WHEN is_scheduled AND NOT counted
            THEN format('%s is scheduled and must not have a sequence: it is numbered when it is due; if other events of this aggregate '
                        'type have one, schedule it in an aggregate type of its own, such as %s-reminder', event, publish.aggregate_type)
        WHEN publish.keep_existing AND publish.key IS NULL
            THEN format('keep_existing of %s needs a key', event)
        WHEN extract(epoch FROM publish.deliver_after) NOT BETWEEN 0 AND extract(epoch FROM interval '36500 days')
            THEN format('deliver_after of %s must be from 0 to 36500 days: %s', event, publish.deliver_after)
        WHEN publish.deliver_at < '0001-01-01 00:00:00+00' OR publish.deliver_at >= '10000-01-01 00:00:00+00'
            THEN format('deliver_at of %s must be in the years 1 to 9999: %s', event, publish.deliver_at)
        WHEN jsonb_typeof(publish.headers) <> 'object' OR jsonb_path_exists(publish.headers, 'strict $.* ? (@.type() != "string")')
            THEN format('headers of %s must be an object of texts, without null', event)
        WHEN publish.headers ->> 'origin' IS NOT NULL
            THEN format('header ''origin'' of %s is reserved for events of other services; give origin, or use another name', event)
    END;

    -- A shorter text is neither too large nor too deep, and handlers can read its names and numbers.
    FOR given IN SELECT p.name, p.value, p.value::text AS json
                   FROM (VALUES ('payload', publish.payload), ('headers', publish.headers)) p (name, value)
                  WHERE problem IS NULL
                    AND octet_length(p.value::text) > 500 LOOP
        problem := coalesce(problem, format('%s of %s ', given.name, event) || CASE
            -- jsonb adds a space after commas and colons, which do not count.
            WHEN octet_length(given.json) > max_size
                 AND (octet_length(given.json) > 2 * max_size
                      OR octet_length(given.json) - regexp_count(regexp_replace(given.json, '"([^"\\]|\\.)*"', '', 'g'), ' ') > max_size)
                THEN format('has %s bytes, more than the %s of a payload; store large content elsewhere and publish a reference to it',
                            octet_length(given.json), max_size)
            WHEN length(given.json) - length(translate(given.json, '[{', '')) > 500
                 AND jsonb_path_exists(given.value, 'strict $.**{500} ? (@.type() == "object" || @.type() == "array")')
                THEN 'contains more than 500 nested arrays and objects, which handlers cannot read'
            WHEN given.json ~ '[0-9.]{255}'
                 AND EXISTS (SELECT
                               FROM jsonb_path_query(given.value, 'strict $.** ? (@.type() == "number")') n (number)
                              WHERE length(translate(n.number::text, '-.', '')) > 1000)
                THEN 'contains a number of more than 1000 digits, which handlers cannot read'
            WHEN octet_length(given.json) > 50000
                 AND EXISTS (SELECT
                               FROM jsonb_path_query(given.value, 'strict $.** ? (@.type() == "object")') o (object)
                              CROSS JOIN jsonb_object_keys(o.object) k (name)
                              WHERE length(k.name) + length(regexp_replace(k.name, counts_once, '', 'g')) > 50000)
                THEN 'contains a name of more than 50000 characters, which handlers cannot read'
        END);
    END LOOP;
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION '%', problem USING ERRCODE = 'invalid_parameter_value';
    END IF;

    delay_millis := ceil(extract(epoch FROM publish.deliver_after) * 1000);

    -- The depth is that of a chain of handlers, which begins here; a received event keeps what it came with.
    headers := CASE WHEN publish.origin IS NULL THEN publish.headers - 'outbox.depth'
                    ELSE publish.headers || jsonb_build_object('origin', publish.origin) END;
    IF counted AND (publish.event_id IS NOT NULL OR is_scheduled) THEN
        INSERT INTO ${schema}.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
        SELECT aggregate_type, aggregate_id, 0
          FROM unnest(ARRAY[publish.aggregate_type]::text[], ARRAY[publish.aggregate_id]::text[]) AS i (aggregate_type, aggregate_id)
         ORDER BY aggregate_type COLLATE "C", aggregate_id COLLATE "C"
        ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
           SET last_seq = a.last_seq;
    END IF;
    IF publish.event_id IS NOT NULL THEN
        FOR stored IN
            SELECT o.id, o.event_id::text, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type, o.schema_version,
                   o.payload, o.headers,
                   CASE WHEN o.occurred_at > '-infinity' AND o.occurred_at < '200000-01-01 00:00:00+00'
                        THEN (extract(epoch FROM o.occurred_at) * 1000000)::bigint ELSE 0 END
              FROM ${schema}.outbox o
             WHERE o.event_id = ANY (ARRAY[publish.event_id]::uuid[])
        LOOP
            IF stored.event_type <> publish.event_type
               OR stored.aggregate_type <> publish.aggregate_type
               OR stored.aggregate_id <> publish.aggregate_id AND publish.aggregate_type <> 'unordered' THEN
                RAISE EXCEPTION 'event id % of % is already used by % of %/%',
                    publish.event_id, event, stored.event_type, stored.aggregate_type, stored.aggregate_id
                    USING ERRCODE = 'unique_violation', CONSTRAINT = 'outbox_unpublished_event_id',
                          HINT = 'Use a unique id for each event.';
            END IF;
            IF stored.payload <> publish.payload THEN
                RAISE WARNING 'event id % of % was published again with another payload, and the first payload stays',
                    publish.event_id, event USING HINT = 'Use a new id for another event.';
            END IF;
            is_stored := true;
            sequence := stored.aggregate_seq;
        END LOOP;
    ELSE
        -- UUID version 7: the milliseconds put new index entries at the end.
        event_id := overlay(gen_random_uuid()::text PLACING
                            regexp_replace(lpad(to_hex(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0'),
                                           '(.{8})(.{4})', '\1-\2-7') FROM 1)::uuid;
    END IF;
    IF NOT is_scheduled THEN
        occurred_at := coalesce(publish.occurred_at, clock_timestamp());
    END IF;

    -- Inserts nothing at first if the type of the aggregate is not known.
    FOREACH type_added IN ARRAY ARRAY[is_scheduled, true] LOOP
        EXIT WHEN is_stored;
        IF type_added THEN
            FOR stored IN
                SELECT t.counted, t.origin
                  FROM ${schema}.outbox_aggregate_type t
                 WHERE t.aggregate_type = publish.aggregate_type
            LOOP
                IF stored.origin IS DISTINCT FROM type_origin THEN
                    RAISE EXCEPTION '% comes from %, but other events of this aggregate type come from %',
                        event, coalesce(type_origin, 'this service'), coalesce(stored.origin, 'this service')
                        USING ERRCODE = 'invalid_parameter_value',
                              HINT = 'An aggregate type has one owner: use another aggregate type, such as one with a prefix for received'
                                     ' events, or update the origin in outbox_aggregate_type if the service was renamed.';
                ELSIF stored.counted <> publish.counted THEN
                    RAISE EXCEPTION '% %, but other events of this aggregate type %', event,
                        CASE WHEN counted THEN 'has no sequence' ELSE 'has a sequence' END,
                        CASE WHEN counted THEN 'have one' ELSE 'have none' END
                        USING ERRCODE = 'invalid_parameter_value',
                              HINT = 'Give a sequence for all events of an aggregate type or for none, and schedule events in an aggregate'
                                     ' type whose events have none.';
                END IF;
            END LOOP;
            IF NOT FOUND THEN
                INSERT INTO ${schema}.outbox_aggregate_type (aggregate_type, counted, origin)
                SELECT publish.aggregate_type, publish.counted, publish.type_origin::text
                 WHERE pg_try_advisory_xact_lock(hashtextextended('outbox type of ${schema} ' || publish.aggregate_type, 0))
                ON CONFLICT (aggregate_type) DO NOTHING;
            END IF;
        END IF;

        IF is_scheduled THEN
            IF publish.keep_existing THEN
                FOR stored IN
                    SELECT o.id, o.event_id::text, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type,
                           o.schema_version,
                           o.payload, o.headers,
                           CASE WHEN o.occurred_at > '-infinity' AND o.occurred_at < '200000-01-01 00:00:00+00'
                                THEN (extract(epoch FROM o.occurred_at) * 1000000)::bigint ELSE 0 END
                      FROM (SELECT 0::bigint AS id, s.event_id, s.stream, s.aggregate_type, s.aggregate_id, 0::bigint AS aggregate_seq,
                                   s.event_type, s.schema_version, s.payload, s.headers, coalesce(s.occurred_at, s.due_at) AS occurred_at
                              FROM ${schema}.outbox_scheduled s
                             WHERE s.aggregate_type = publish.aggregate_type
                               AND s.aggregate_id = publish.aggregate_id
                               AND s.key = publish.key) o
                LOOP
                    event_id := stored.event_id;
                    is_stored := true;
                END LOOP;
            END IF;
            IF NOT is_stored THEN
                DELETE FROM ${schema}.outbox_scheduled s
                 WHERE s.aggregate_type = publish.aggregate_type
                   AND s.aggregate_id = publish.aggregate_id
                   AND s.key = publish.key;
                FOR stored IN
                    WITH o AS (
                        INSERT INTO ${schema}.outbox_scheduled
                               (event_id, stream, aggregate_type, aggregate_id, key, event_type, schema_version, payload, headers,
                                occurred_at, due_at)
                        VALUES (publish.event_id, publish.stream, publish.aggregate_type, publish.aggregate_id, publish.key,
                                publish.event_type, publish.schema_version, publish.payload::jsonb,
                                publish.headers::jsonb, publish.occurred_at,
                                coalesce(publish.deliver_at::timestamptz,
                                         clock_timestamp() + publish.delay_millis::bigint * interval '1 millisecond'))
                        RETURNING 0::bigint AS id, event_id, stream, aggregate_type, aggregate_id, 0::bigint AS aggregate_seq, event_type,
                                  schema_version, payload, headers, coalesce(occurred_at, due_at) AS occurred_at
                    )
                    SELECT o.id, o.event_id::text, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type,
                           o.schema_version,
                           o.payload, o.headers,
                           CASE WHEN o.occurred_at > '-infinity' AND o.occurred_at < '200000-01-01 00:00:00+00'
                                THEN (extract(epoch FROM o.occurred_at) * 1000000)::bigint ELSE 0 END
                      FROM o
                LOOP
                    is_stored := true;
                END LOOP;
            END IF;
        ELSIF counted THEN
            FOR stored IN
                WITH counter AS (
                    INSERT INTO ${schema}.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
                    SELECT publish.aggregate_type, publish.aggregate_id, 1
                     WHERE (publish.type_added
                            OR EXISTS (SELECT
                                         FROM ${schema}.outbox_aggregate_type t
                                        WHERE t.aggregate_type = publish.aggregate_type
                                          AND t.counted = publish.counted
                                          AND t.origin IS NOT DISTINCT FROM publish.type_origin::text))
                    ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
                       SET last_seq = a.last_seq + 1
                    RETURNING aggregate_type, aggregate_id, last_seq
                )
                INSERT INTO ${schema}.outbox_unpublished
                       (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                        headers, occurred_at)
                SELECT publish.event_id, publish.stream, aggregate_type, aggregate_id, last_seq, publish.event_type,
                       publish.schema_version, publish.payload::jsonb, publish.headers::jsonb,
                       publish.occurred_at
                  FROM counter
                RETURNING id, aggregate_seq
            LOOP
                is_stored := true;
                sequence := stored.aggregate_seq;
            END LOOP;
        ELSE
            BEGIN
                FOR stored IN
                    INSERT INTO ${schema}.outbox_unpublished
                           (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                            headers, occurred_at)
                    SELECT publish.event_id, publish.stream, publish.aggregate_type, publish.aggregate_id, publish.sequence,
                           publish.event_type, publish.schema_version, publish.payload::jsonb, publish.headers::jsonb,
                           publish.occurred_at
                     WHERE (publish.type_added
                            OR EXISTS (SELECT
                                         FROM ${schema}.outbox_aggregate_type t
                                        WHERE t.aggregate_type = publish.aggregate_type
                                          AND t.counted = publish.counted
                                          AND t.origin IS NOT DISTINCT FROM publish.type_origin::text))
                    RETURNING id, aggregate_seq
                LOOP
                    is_stored := true;
                END LOOP;
            EXCEPTION WHEN unique_violation THEN
                GET STACKED DIAGNOSTICS taken = CONSTRAINT_NAME;
                RAISE EXCEPTION '% %', event,
                    CASE taken WHEN 'outbox_unpublished_aggregate'
                               THEN format('has the sequence %s, which is taken by another event: another transaction has changed the'
                                           ' entity, or this one has published for the same version before, or the version was read before'
                                           ' the change was written', publish.sequence)
                               ELSE format('has the id %s, which another transaction has used at the same time', publish.event_id) END
                    USING ERRCODE = 'unique_violation', CONSTRAINT = taken,
                          HINT = 'Roll back, read the entity again and repeat.';
            END;
        END IF;
    END LOOP;

    -- The message of a process without a poller: see NotificationChannel. PostgreSQL sends equal ones of a transaction once.
    IF publish.wake
       AND coalesce(publish.deliver_at < clock_timestamp() + interval '2 minutes', publish.delay_millis < 120000, true) THEN
        PERFORM pg_notify(left('outbox_' || trim('"' FROM '${schema}'), 63),
                          format(E'\n%s\n%s\n%s\n%s', mod(pg_current_xact_id()::text::bigint, 2147483647),
                                 CASE WHEN is_scheduled THEN 4 ELSE 0 END,
                                 CASE WHEN is_scheduled THEN 'SCHEDULED' ELSE 'STREAM' END,
                                 CASE WHEN is_scheduled THEN '' ELSE publish.stream END));
    END IF;
END
$function$;
