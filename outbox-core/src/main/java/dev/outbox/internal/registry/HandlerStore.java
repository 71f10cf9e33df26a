package dev.outbox.internal.registry;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Registers and pauses handlers, and registers streams; a change of a handler raises the registry version of every stream. */
public final class HandlerStore {

    /** Serializes the writers of the registry; readers do not wait. */
    public static final String LOCK_REGISTRY = """
            LOCK TABLE {schema}.outbox_handler IN SHARE ROW EXCLUSIVE MODE
            """;

    /**
     * How long after its last heartbeat a registration expires. Longer than a service is switched off over a weekend or a holiday; an
     * operator expires the registration of a removed handler at once.
     */
    public static final Duration EXPIRE_AFTER = Duration.ofDays(7);

    /** How long after its last heartbeat a subscription expires while instances run other versions of its handler. */
    public static final Duration EXPIRE_SUBSCRIPTION_AFTER = Duration.ofMinutes(15);

    /** A running instance renews its registrations more often. */
    public static final Duration STANDSTILL = Duration.ofMinutes(5);

    /**
     * Registrations age by this clock: the latest heartbeat for any handler. It stands still while no instance has a handler, so that the
     * handlers of the instance that starts or resumes last have not expired. A registration that an operator expired has no heartbeat.
     */
    public static final String LATEST_HEARTBEAT = """
            (SELECT least(now(), greatest(max(seen.last_seen_at), 'epoch'))
                                  FROM {schema}.outbox_subscription seen)""";

    /**
     * Reads the registry whole. The first registration after a standstill moves the clock, and every registration by as much. It holds the
     * lock of the registry, so that the next one finds no standstill.
     */
    private static final String SKIP_STANDSTILL =
            """
            WITH standstill AS MATERIALIZED (
                SELECT extract(epoch FROM now() - latest.heartbeat) * interval '1 second' AS length
                  FROM (SELECT {latest} AS heartbeat) latest
                 WHERE latest.heartbeat > 'epoch'
                   AND latest.heartbeat < now() - interval '{standstill} minutes'
            ), handler AS (
                UPDATE {schema}.outbox_handler h
                   SET last_seen_at = h.last_seen_at + standstill.length
                  FROM standstill
            )
            UPDATE {schema}.outbox_subscription s
               SET last_seen_at = s.last_seen_at + standstill.length
              FROM standstill
            """.replace("{latest}", LATEST_HEARTBEAT).replace("{standstill}", Long.toString(STANDSTILL.toMinutes()));

    /**
     * Reads the registry whole. A handler that comes back after a standstill of its own, while others ran, moves the subscriptions of all its
     * versions as {@link #SKIP_STANDSTILL} moves all: those of the versions that come back later have not expired.
     */
    private static final String SKIP_STANDSTILL_OF_HANDLERS = """
            WITH version AS MATERIALIZED (
                SELECT own.id AS own, h.id
                  FROM unnest(:ids::text[], :aliases::text[]) AS own (id, aliases)
                  JOIN {schema}.outbox_handler h
                    ON h.id = ANY (own.id || string_to_array(own.aliases, chr(31)))
                    OR h.aliases && (own.id || string_to_array(own.aliases, chr(31)))
            ), standstill AS (
                SELECT v.own, extract(epoch FROM now() - max(s.last_seen_at)) * interval '1 second' AS length
                  FROM version v
                  JOIN {schema}.outbox_subscription s ON s.handler_id = v.id
                 WHERE s.last_seen_at > '-infinity'
                 GROUP BY v.own
                HAVING max(s.last_seen_at) < now() - :refresh_millis * interval '1 millisecond'
            )
            UPDATE {schema}.outbox_subscription s
               SET last_seen_at = s.last_seen_at + moved.length
              FROM (SELECT v.id, min(standstill.length) AS length
                      FROM version v
                      JOIN standstill ON standstill.own = v.own
                     GROUP BY v.id) moved
             WHERE s.handler_id = moved.id
               AND s.last_seen_at >= {latest} - :expiry_millis * interval '1 millisecond'
            """.replace("{latest}", LATEST_HEARTBEAT);

    /** Relies on outbox_stream_pk. A new stream begins with the current registry version. */
    private static final String ADD_STREAM = """
            INSERT INTO {schema}.outbox_stream (stream, registry_version)
            SELECT :stream, coalesce(max(s.registry_version), 0)
              FROM {schema}.outbox_stream s
            ON CONFLICT (stream) DO NOTHING
            """;

    /** Relies on outbox_stream_pk. Every instance reads the registry again at its next claim. Streams are locked in order. */
    public static final String RAISE_VERSIONS = """
            UPDATE {schema}.outbox_stream s
               SET registry_version = s.registry_version + 1
              FROM (SELECT one.stream
                      FROM {schema}.outbox_stream one
                     WHERE {changed}
                     ORDER BY one.stream
                       FOR UPDATE) known
             WHERE s.stream = known.stream
            """;

    /**
     * Relies on outbox_handler_pk and outbox_subscription_pk. The versions grow only if the registry changes. A paused handler stays paused
     * when it is renamed.
     */
    private static final String REGISTER = """
            WITH handler AS (
                INSERT INTO {schema}.outbox_handler AS h (id, aliases, paused_until)
                SELECT own.id, string_to_array(own.aliases, chr(31)),
                       coalesce((SELECT max(former.paused_until)
                                   FROM {schema}.outbox_handler former
                                  WHERE former.id = ANY (string_to_array(own.aliases, chr(31)))), '-infinity')
                  FROM unnest(:ids::text[], :aliases::text[]) AS own (id, aliases)
                ON CONFLICT (id) DO UPDATE
                   SET aliases = excluded.aliases,
                       last_seen_at = now()
                 WHERE h.aliases <> excluded.aliases OR h.last_seen_at < now() - :refresh_millis * interval '1 millisecond'
                RETURNING id
            ), subscription AS (
                INSERT INTO {schema}.outbox_subscription AS s (handler_id, event_type, aggregate_type, stream, source)
                SELECT own.*
                  FROM {rows} own
                ON CONFLICT (handler_id, event_type, aggregate_type, stream, source) DO UPDATE
                   SET last_seen_at = now()
                 WHERE s.last_seen_at < now() - :refresh_millis * interval '1 millisecond'
                RETURNING handler_id
            )
            """.replace("{rows}", Subscriptions.ROWS)
            + RAISE_VERSIONS.replace("{changed}", "EXISTS (SELECT FROM handler) OR EXISTS (SELECT FROM subscription)");

    /** Relies on outbox_handler_pk. */
    private static final String ADD_HANDLER = """
            INSERT INTO {schema}.outbox_handler (id)
            SELECT :handler_id
             WHERE :add
            ON CONFLICT (id) DO NOTHING
            """;

    /** Reads outbox_handler whole: it has a row per handler and former id, which are paused and resumed together. */
    private static final String SET_PAUSED = """
            WITH {pause}, named AS (
                SELECT h.id
                  FROM {schema}.outbox_handler h
                 WHERE h.id = :handler_id
                    OR :handler_id = ANY (h.aliases)
                    OR h.id IN (SELECT unnest(n.aliases) FROM {schema}.outbox_handler n WHERE n.id = :handler_id)
            ), changed AS (
                UPDATE {schema}.outbox_handler p
                   SET paused_until = pause.until
                  FROM pause
                 WHERE p.id IN (SELECT named.id FROM named)
                   AND {changes}
                RETURNING p.id
            ), recorded AS (
                INSERT INTO {schema}.outbox_operation (performed_by, action, reason, handler_id, paused_until)
                SELECT :actor, :action, :reason, :handler_id, {end}
                 WHERE EXISTS (SELECT FROM changed)
            ), version AS (
            """.replace("{pause}", Pause.END)
                    .replace("{changes}", Pause.CHANGES)
                    .replace("{end}", Pause.RECORDED_END)
            + RAISE_VERSIONS.replace("{changed}", "EXISTS (SELECT FROM changed)") + """
                RETURNING s.stream
            )
            SELECT EXISTS (SELECT FROM changed), ARRAY(SELECT version.stream FROM version)
             WHERE EXISTS (SELECT FROM named)
            """;

    /** Whether an instance has just renewed the row {@code r}. A time to come, after the clock was set back, is renewed. */
    private static final String JUST_RENEWED = "r.last_seen_at BETWEEN now() - interval '30 seconds' AND now()";

    /**
     * Relies on outbox_handler_pk and outbox_subscription_pk. What was not renewed for long has to be registered anew. Counts what is
     * registered, and writes what no other instance has just renewed.
     */
    static final String HEARTBEAT = """
            WITH own AS MATERIALIZED (
                SELECT r.*
                  FROM {rows} AS own (handler_id, event_type, aggregate_type, stream, source)
                 CROSS JOIN LATERAL (SELECT r.*
                                       FROM {schema}.outbox_subscription r
                                      WHERE (r.handler_id, r.event_type, r.aggregate_type, r.stream, r.source)
                                            = (own.handler_id, own.event_type, own.aggregate_type, own.stream, own.source)
                                        AND r.last_seen_at >= now() - interval '{standstill} minutes'
                                      LIMIT 1) r
            ), subscription AS (
                UPDATE {schema}.outbox_subscription r
                   SET last_seen_at = now()
                  FROM own
                 WHERE (r.handler_id, r.event_type, r.aggregate_type, r.stream, r.source)
                       = (own.handler_id, own.event_type, own.aggregate_type, own.stream, own.source)
                   AND r.last_seen_at >= now() - interval '{standstill} minutes'
                   AND NOT {just renewed}
            ), handler AS (
                UPDATE {schema}.outbox_handler r
                   SET last_seen_at = now()
                 WHERE r.id IN (SELECT own.handler_id FROM own)
                   AND NOT {just renewed}
            )
            SELECT (SELECT count(*) FROM own),
                   (SELECT count(*) FROM {schema}.outbox_handler h WHERE h.id IN (SELECT own.handler_id FROM own))
            """.replace("{rows}", Subscriptions.ROWS)
            .replace("{standstill}", Long.toString(STANDSTILL.toMinutes()))
            .replace("{just renewed}", JUST_RENEWED);

    private static final String COLUMNS = """
            h.id, ARRAY({subscriptions}{condition}), h.aliases, CASE WHEN h.paused_until > now() THEN h.paused_until END, h.last_seen_at,
                   h.last_seen_at >= clock_timestamp() - interval '3 minutes'""".replace("{subscriptions}", Subscriptions.OF_HANDLER);

    /** Reads outbox_handler and outbox_subscription whole, what has expired too: they have a row per handler and subscription. */
    public static final String ALL = "SELECT " + COLUMNS.replace("{condition}", "") + """

              FROM {schema}.outbox_handler h
             ORDER BY h.id
            """;

    /** As {@link #ALL}, without the subscriptions that have expired. Lanes may wait under the id of a handler without any. */
    private static final String LIST = """
            SELECT {columns}
              FROM {schema}.outbox_handler h
            """.replace("{columns}", COLUMNS)
            .replace("{condition}", " AND s.last_seen_at >= {latest} - :expiry_millis * interval '1 millisecond'")
            .replace("{latest}", LATEST_HEARTBEAT);

    private static final String SERVER = "SELECT extract(epoch FROM pg_postmaster_start_time())::text";

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final DataSource dataSource;
    private final Pipeline addStream;
    private final Pipeline register;
    private final Pipeline setPaused;
    private final Pipeline heartbeat;
    private final Pipeline list;

    public HandlerStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.addStream = new Pipeline(schema, LOCK_REGISTRY, ADD_STREAM);
        this.register = Pipeline.durable(
                schema, LONGEST_WAIT, LOCK_REGISTRY, SKIP_STANDSTILL, SKIP_STANDSTILL_OF_HANDLERS, REGISTER);
        this.setPaused = Pipeline.durable(schema, LONGEST_WAIT, LOCK_REGISTRY, ADD_HANDLER, SET_PAUSED);
        this.heartbeat = new Pipeline(schema, HEARTBEAT);
        this.list = new Pipeline(schema, SERVER, LIST);
    }

    /** Registers a stream that is new. */
    public void addStream(String stream) throws SQLException {
        addStream.run(dataSource, (parameters) -> parameters.set("stream", stream));
    }

    /**
     * Registers handlers durably, and renews registrations that are older than a limit: from the next claim on, every instance knows
     * them.
     */
    public void register(
            Map<String, Set<Subscription>> subscriptions, Map<String, List<String>> aliases, Duration renewAfter)
            throws SQLException {
        Set<String> ids = new TreeSet<>(subscriptions.keySet());
        register.run(
                dataSource,
                (parameters) -> Subscriptions.bind(parameters, subscriptions)
                        .setTexts("ids", ids, (id) -> id)
                        .setTexts("aliases", ids, (id) -> String.join("\u001f", aliases.getOrDefault(id, List.of())))
                        .set("refresh_millis", renewAfter.toMillis())
                        .set("expiry_millis", EXPIRE_AFTER.toMillis()));
    }

    /** Whether a pause or its end changed anything, and the streams that it concerns. */
    public record Paused(boolean changed, List<String> streams) {}

    /**
     * Pauses or resumes a handler in every instance, from its next claim on, and records the operation. A handler that no instance has
     * registered is added first if {@code add} is set. Returns empty if it is not known.
     */
    public Optional<Paused> setPaused(String handlerId, Pause pause, boolean add, AuditInfo audit) throws SQLException {
        return setPaused.run(
                dataSource,
                (parameters) -> pause.bind(parameters)
                        .set("handler_id", handlerId)
                        .set("add", add)
                        .set("action", pause.resumes() ? "RESUME_HANDLER" : "PAUSE_HANDLER")
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) ->
                        results
                                .list((row) -> new Paused(row.getBoolean(1), List.of((String[])
                                        row.getArray(2).getArray())))
                                .stream()
                                .findFirst());
    }

    /** Renews the registrations of this instance; returns {@code false} if one is missing or was not renewed for long. */
    public boolean heartbeat(Map<String, Set<Subscription>> subscriptions) throws SQLException {
        int rows = subscriptions.values().stream().mapToInt(Set::size).sum();
        return heartbeat.run(dataSource, (parameters) -> Subscriptions.bind(parameters, subscriptions), (results) -> {
            ResultSet counts = results.row();
            return counts.getInt(1) == rows && counts.getInt(2) == subscriptions.size();
        });
    }

    /** Registered handlers, with the subscriptions that have not expired, and the start of the server that they were read from. */
    public record Listed(String server, List<RegisteredHandler> handlers) {}

    /** Lists the handlers of all instances. */
    public Listed list() throws SQLException {
        return list.run(
                dataSource, (parameters) -> parameters.set("expiry_millis", EXPIRE_AFTER.toMillis()), (results) -> {
                    String server = results.row(SERVER).getString(1);
                    return new Listed(server, results.list(HandlerStore::read));
                });
    }

    /** Reads the rows of {@link #ALL}, a statement of the pipeline. */
    public static KnownHandlers known(Pipeline.Results results) throws SQLException {
        return new KnownHandlers(results.list(ALL, HandlerStore::read));
    }

    private static RegisteredHandler read(ResultSet row) throws SQLException {
        return new RegisteredHandler(
                row.getString(1),
                Subscriptions.read(row, 2),
                Subscriptions.texts(row, 3),
                instant(row.getObject(4, OffsetDateTime.class)),
                new RegisteredHandler.Heartbeat(
                        row.getObject(5, OffsetDateTime.class).toInstant(), row.getBoolean(6)));
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }
}
