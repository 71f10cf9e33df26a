package dev.outbox.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.sql.DataSource;

/** The handlers that any process has registered, and the streams whose claims must know of them. */
public final class HandlerStore {

    /** Writers of the registry take turns; readers do not wait. */
    private static final String LOCK_REGISTRY = """
            LOCK TABLE {schema}.outbox_handler IN SHARE ROW EXCLUSIVE MODE
            """;

    /** Relies on outbox_stream_pk. A stream that is new knows the registry as it is. */
    private static final String ADD_STREAM = """
            INSERT INTO {schema}.outbox_stream (stream, registry_version)
            SELECT ?, coalesce(max(s.registry_version), 0)
              FROM {schema}.outbox_stream s
            ON CONFLICT (stream) DO NOTHING
            """;

    /** Relies on outbox_handler_pk and outbox_stream_pk. The versions grow only if a registration changes anything. */
    private static final String REGISTER = """
            WITH own AS (
                SELECT h.id, string_to_array(h.event_types, ',') AS event_types
                  FROM unnest(?::text[], ?::text[]) AS h (id, event_types)
            ), changed AS (
                INSERT INTO {schema}.outbox_handler AS h (id, event_types)
                SELECT own.id, own.event_types
                  FROM own
                ON CONFLICT (id) DO UPDATE
                   SET event_types = excluded.event_types,
                       last_seen_at = now()
                 WHERE h.event_types <> excluded.event_types OR h.last_seen_at < now() - ? * interval '1 millisecond'
                RETURNING id
            )
            UPDATE {schema}.outbox_stream
               SET registry_version = registry_version + 1
             WHERE EXISTS (SELECT FROM changed)
            """;

    /** Relies on outbox_handler_pk. */
    private static final String SEEN = """
            UPDATE {schema}.outbox_handler
               SET last_seen_at = now()
             WHERE id = ANY (?)
            """;

    /** Reads outbox_handler whole: it has a row per handler. */
    private static final String LIST = """
            SELECT h.id, h.event_types
              FROM {schema}.outbox_handler h
             WHERE h.last_seen_at >= now() - ? * interval '1 millisecond'
            """;

    private final DataSource dataSource;
    private final Pipeline addStream;
    private final Pipeline register;
    private final Pipeline seen;
    private final Pipeline list;

    /**
     * Creates a store.
     *
     * @param dataSource where the tables are
     * @param schema the schema that holds them
     */
    public HandlerStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.addStream = new Pipeline(schema, LOCK_REGISTRY, ADD_STREAM);
        this.register = new Pipeline(schema, LOCK_REGISTRY, REGISTER);
        this.seen = new Pipeline(schema, SEEN);
        this.list = new Pipeline(schema, LIST);
    }

    /**
     * Makes a stream known. Does nothing if it is.
     *
     * @param stream the stream
     * @throws SQLException if the database refused or could not be reached
     */
    public void addStream(String stream) throws SQLException {
        addStream.run(dataSource, (parameters) -> parameters.add(stream), (results) -> {
            results.skip(2);
            return true;
        });
    }

    /**
     * Registers this process's handlers: from the next claim on, every process knows of them.
     *
     * @param eventTypes the event types of each handler id
     * @param retireAfter the time after which a handler that no process has is no longer counted on
     * @throws SQLException if the database refused or could not be reached
     */
    public void register(Map<String, Set<String>> eventTypes, Duration retireAfter) throws SQLException {
        SortedMap<String, Set<String>> sorted = new TreeMap<>(eventTypes);
        String[] ids = sorted.keySet().toArray(String[]::new);
        String[] types = sorted.values().stream()
                .map((ofHandler) -> String.join(",", new TreeSet<>(ofHandler)))
                .toArray(String[]::new);
        register.run(dataSource, (parameters) -> parameters.add(ids, types, retireAfter.toMillis()), (results) -> {
            results.skip(2);
            return true;
        });
    }

    /**
     * Notes that a process with these handlers is alive.
     *
     * @param handlerIds the handlers
     * @throws SQLException if the database refused or could not be reached
     */
    public void seen(Set<String> handlerIds) throws SQLException {
        String[] ids = handlerIds.toArray(String[]::new);
        seen.run(dataSource, (parameters) -> parameters.add((Object) ids), Pipeline.Results::updated);
    }

    /**
     * Lists the handlers that processes are counted on to have.
     *
     * @param retireAfter the time after which a handler that no process has is no longer counted on
     * @return the event types of each handler id
     * @throws SQLException if the database refused or could not be reached
     */
    public Map<String, Set<String>> list(Duration retireAfter) throws SQLException {
        return list.run(dataSource, (parameters) -> parameters.add(retireAfter.toMillis()), (results) -> {
            Map<String, Set<String>> handlers = new HashMap<>();
            ResultSet row = results.rows();
            while (row.next()) {
                handlers.put(row.getString(1), Set.of((String[]) row.getArray(2).getArray()));
            }
            return handlers;
        });
    }
}
