package dev.outbox.internal.store;

import dev.outbox.internal.delivery.RegisteredHandler;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** The handlers that any process has registered, and the streams whose claims must know of them. */
public final class HandlerStore {

    /** Writers of the registry take turns; readers do not wait. */
    static final String LOCK_REGISTRY = """
            LOCK TABLE {schema}.outbox_handler IN SHARE ROW EXCLUSIVE MODE
            """;

    /** Relies on outbox_stream_pk. A stream that is new knows the registry as it is. */
    private static final String ADD_STREAM = """
            INSERT INTO {schema}.outbox_stream (stream, registry_version)
            SELECT :stream, coalesce(max(s.registry_version), 0)
              FROM {schema}.outbox_stream s
            ON CONFLICT (stream) DO NOTHING
            """;

    /**
     * Relies on outbox_handler_pk, outbox_subscription_pk and outbox_stream_pk. The versions grow only if a registration changes
     * what the other processes know. Whoever locks several streams locks them in the same order. A handler that is
     * paused stays so when it is renamed.
     */
    private static final String REGISTER = """
            WITH handler AS (
                INSERT INTO {schema}.outbox_handler AS h (id, aliases, paused)
                SELECT own.id, string_to_array(own.aliases, chr(31)),
                       EXISTS (SELECT
                                 FROM {schema}.outbox_handler former
                                WHERE former.id = ANY (string_to_array(own.aliases, chr(31)))
                                  AND former.paused)
                  FROM unnest(:ids::text[], :aliases::text[]) AS own (id, aliases)
                ON CONFLICT (id) DO UPDATE
                   SET aliases = excluded.aliases,
                       last_seen_at = now()
                 WHERE h.aliases <> excluded.aliases OR h.last_seen_at < now() - :refresh_millis * interval '1 millisecond'
                RETURNING id
            ), subscription AS (
                INSERT INTO {schema}.outbox_subscription AS s (handler_id, event_type)
                SELECT own.handler_id, own.event_type
                  FROM unnest(:handler_ids::text[], :event_types::text[]) AS own (handler_id, event_type)
                ON CONFLICT (handler_id, event_type) DO UPDATE
                   SET last_seen_at = now()
                 WHERE s.last_seen_at < now() - :refresh_millis * interval '1 millisecond'
                RETURNING handler_id
            )
            UPDATE {schema}.outbox_stream s
               SET registry_version = s.registry_version + 1
              FROM (SELECT one.stream
                      FROM {schema}.outbox_stream one
                     WHERE EXISTS (SELECT FROM handler)
                        OR EXISTS (SELECT FROM subscription)
                     ORDER BY one.stream
                       FOR UPDATE) known
             WHERE s.stream = known.stream
            """;

    /** Relies on outbox_handler_pk and outbox_subscription_pk. */
    private static final String SEEN = """
            WITH subscription AS (
                UPDATE {schema}.outbox_subscription s
                   SET last_seen_at = now()
                  FROM unnest(:handler_ids::text[], :event_types::text[]) AS own (handler_id, event_type)
                 WHERE s.handler_id = own.handler_id
                   AND s.event_type = own.event_type
                RETURNING s.handler_id
            ), handler AS (
                UPDATE {schema}.outbox_handler
                   SET last_seen_at = now()
                 WHERE id IN (SELECT handler_id FROM subscription)
                RETURNING id
            )
            SELECT (SELECT count(*) FROM subscription), (SELECT count(*) FROM handler)
            """;

    /** Reads outbox_handler and outbox_subscription whole: they have a row per handler, and per event type that it wants. */
    private static final String LIST = """
            SELECT h.id,
                   ARRAY(SELECT s.event_type
                           FROM {schema}.outbox_subscription s
                          WHERE s.handler_id = h.id
                            AND s.last_seen_at >= now() - :expiry_millis * interval '1 millisecond'),
                   h.aliases,
                   h.paused
              FROM {schema}.outbox_handler h
             WHERE h.last_seen_at >= now() - :expiry_millis * interval '1 millisecond'
            """;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final DataSource dataSource;
    private final Pipeline addStream;
    private final Pipeline register;
    private final Pipeline seen;
    private final Pipeline list;

    /** Creates a store. */
    public HandlerStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.addStream = new Pipeline(schema, LOCK_REGISTRY, ADD_STREAM);
        this.register = Pipeline.durable(schema, LONGEST_WAIT, LOCK_REGISTRY, REGISTER);
        this.seen = new Pipeline(schema, SEEN);
        this.list = new Pipeline(schema, LIST);
    }

    /** Makes a stream known. Does nothing if it is. */
    public void addStream(String stream) throws SQLException {
        addStream.run(dataSource, (parameters) -> parameters.set("stream", stream), (results) -> {
            results.skip(2);
            return true;
        });
    }

    /** Registers this process's handlers, durably: from the next claim on, every process knows of them. */
    public void register(Map<String, Set<String>> eventTypes, Map<String, List<String>> aliases, Duration retireAfter)
            throws SQLException {
        String[] ids = new TreeSet<>(eventTypes.keySet()).toArray(String[]::new);
        String[] former = Stream.of(ids)
                .map((id) -> String.join("\u001f", aliases.getOrDefault(id, List.of())))
                .toArray(String[]::new);
        Wishes wishes = Wishes.of(eventTypes);
        register.run(
                dataSource,
                (parameters) -> parameters
                        .set("ids", ids)
                        .set("aliases", former)
                        .set("handler_ids", wishes.handlerIds())
                        .set("event_types", wishes.eventTypes())
                        .set("refresh_millis", retireAfter.toMillis()),
                (results) -> {
                    results.skip(2);
                    return true;
                });
    }

    /** Pairs of handlers and event types, in the order in which everyone locks their rows. */
    private record Wishes(List<String> ids, List<String> types) {

        String[] handlerIds() {
            return ids.toArray(String[]::new);
        }

        String[] eventTypes() {
            return types.toArray(String[]::new);
        }

        static Wishes of(Map<String, Set<String>> eventTypes) {
            List<String> ids = new ArrayList<>();
            List<String> types = new ArrayList<>();
            new TreeMap<>(eventTypes)
                    .forEach((id, wanted) -> new TreeSet<>(wanted).forEach((type) -> {
                        ids.add(id);
                        types.add(type);
                    }));
            return new Wishes(ids, types);
        }
    }

    /** Notes that a process with these handlers is alive. */
    public boolean seen(Map<String, Set<String>> eventTypes) throws SQLException {
        Wishes wishes = Wishes.of(eventTypes);
        return seen.run(
                dataSource,
                (parameters) ->
                        parameters.set("handler_ids", wishes.handlerIds()).set("event_types", wishes.eventTypes()),
                (results) -> {
                    ResultSet counts = results.rows();
                    counts.next();
                    return counts.getInt(1) == wishes.ids().size() && counts.getInt(2) == eventTypes.size();
                });
    }

    /** Lists the handlers that processes are counted on to have. */
    public List<RegisteredHandler> list(Duration retireAfter) throws SQLException {
        return list.run(
                dataSource, (parameters) -> parameters.set("expiry_millis", retireAfter.toMillis()), (results) -> {
                    List<RegisteredHandler> handlers = new ArrayList<>();
                    ResultSet row = results.rows();
                    while (row.next()) {
                        handlers.add(new RegisteredHandler(
                                row.getString(1), texts(row, 2), texts(row, 3), row.getBoolean(4)));
                    }
                    return handlers;
                });
    }

    private static Set<String> texts(ResultSet row, int column) throws SQLException {
        return Set.of((String[]) row.getArray(column).getArray());
    }
}
