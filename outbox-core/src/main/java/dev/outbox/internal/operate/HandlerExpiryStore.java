package dev.outbox.internal.operate;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.lane.DeliveryRef;
import dev.outbox.internal.lane.FailureHistory;
import dev.outbox.internal.lane.LaneSql;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.registry.Subscriptions;
import dev.outbox.internal.sql.LooseScan;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Finds deliveries that wait for handlers without an instance, dead-letters them when the registration expires, and deletes that. */
final class HandlerExpiryStore {

    /** The largest number of waiting deliveries that {@link #absent} counts for a handler and a kind of event. */
    static final int MOST_COUNTED = 1_000;

    private static final String KIND = "d.stream, d.status, d.handler_id, d.event_type, d.aggregate_type, d.source";
    private static final String SAME_KIND = "(" + KIND + ") = (" + KIND.replace("d.", "x.") + ")";

    /** Relies on outbox_delivery_backlog: one look-up for each stream, status, handler and kind of event that has deliveries. */
    private static final String BACKLOG = "WITH RECURSIVE " + LooseScan.ofDeliveries("backlog", KIND) + "\n";

    /** Whether an instance has renewed the subscription {@code s} in time. */
    private static final String RENEWED =
            "s.last_seen_at >= " + HandlerStore.LATEST_HEARTBEAT + " - :expiry_millis * interval '1 millisecond'";

    /** The ids of the handler of {@code x}, current and former. Handlers that share one are versions of one handler. */
    private static final String EVERY_ID =
            "coalesce((SELECT k.id || k.aliases FROM {schema}.outbox_handler k WHERE k.id = {handler_id}), ARRAY[{handler_id}])";

    /** Whether a version {@code h} of the handler with {@code ids}, under any of them, takes {@code x}. */
    private static final String REGISTERED = """
            EXISTS (SELECT
                      FROM {schema}.outbox_handler h
                      JOIN {schema}.outbox_subscription s ON s.handler_id = h.id
                     WHERE (h.id = ANY (x.ids) OR h.aliases && x.ids)
                       AND {takes}
                       AND {renewed})
            """.replace("{takes}", Subscriptions.takes("x"));

    /** Kinds of open deliveries that no registered handler takes. */
    private static final String ORPHANS = BACKLOG
            + """
            , waiting AS MATERIALIZED (
                SELECT x.*, {every id} AS ids FROM backlog x WHERE x.status = 'OPEN'
            ), orphan AS (
                SELECT x.* FROM waiting x WHERE NOT {registered}
            )
            """.replace("{registered}", REGISTERED)
                    .replace("{every id}", EVERY_ID.replace("{handler_id}", "x.handler_id"));

    /** Relies on outbox_delivery_backlog, and reads the registry. */
    static final String EXPIRED = ORPHANS.replace("{renewed}", RENEWED)
            + """
            SELECT {key}
              FROM orphan x
             CROSS JOIN LATERAL (SELECT * FROM {schema}.outbox_delivery d WHERE {same kind} LIMIT :limit) d
             LIMIT :limit
            """.replace("{key}", DeliveryRef.COLUMNS).replace("{same kind}", SAME_KIND);

    /**
     * Whether an instance has the handler of the subscription {@code s}, or may have it soon: an instance that restarts, together with all
     * others or alone, registers within 10 minutes. If a handler with the same subscription was registered since, it was probably renamed.
     */
    private static final String PRESENT = """
            s.last_seen_at >= now() - interval '10 minutes'
                       AND (EXISTS (SELECT
                                      FROM {schema}.outbox_instance i
                                     WHERE s.handler_id = ANY (i.handlers)
                                       AND i.last_seen_at >= now() - interval '1 minute')
                            OR NOT EXISTS (SELECT
                                             FROM {schema}.outbox_handler new
                                             JOIN {schema}.outbox_subscription same ON same.handler_id = new.id
                                            WHERE new.id <> s.handler_id
                                              AND new.registered_at > s.last_seen_at - interval '1 minute'
                                              AND (same.event_type, same.aggregate_type, same.stream, same.source)
                                                  = (s.event_type, s.aggregate_type, s.stream, s.source)))""";

    /** Reads the registry and outbox_instance whole; relies on outbox_delivery_backlog to count what waits. */
    static final String ABSENT = ORPHANS.replace("{renewed}", PRESENT)
            + """
            SELECT x.handler_id,
                   array_agg(DISTINCT ARRAY[x.event_type, x.aggregate_type, x.stream, x.source]),
                   (SELECT nullif(max(s.last_seen_at), '-infinity') FROM {schema}.outbox_subscription s WHERE s.handler_id = x.handler_id),
                   count(*)
              FROM orphan x
             CROSS JOIN LATERAL (SELECT FROM {schema}.outbox_delivery d WHERE {same kind} LIMIT {most}) d
             GROUP BY x.handler_id
             ORDER BY x.handler_id
            """.replace("{same kind}", SAME_KIND).replace("{most}", Integer.toString(MOST_COUNTED));

    /**
     * Reads the registry whole; relies on outbox_operation_handler, outbox_subscription_pk and outbox_stream_pk. A change raises the versions,
     * so that every instance obeys from its next claim on. Of two handlers that have each other's id as an alias, after a rename and its
     * reversal, neither is the successor.
     */
    static final String EXPIRE =
            """
            WITH holder AS (
                SELECT min(i.name) AS name
                  FROM {schema}.outbox_instance i
                 WHERE :handler_id = ANY (i.handlers)
                   AND i.last_seen_at >= now() - interval '1 minute'
            ), successor AS (
                SELECT min(h.id) AS id
                  FROM {schema}.outbox_handler h
                 WHERE :handler_id = ANY (h.aliases)
                   AND EXISTS (SELECT FROM {schema}.outbox_subscription s WHERE s.handler_id = h.id AND s.last_seen_at > '-infinity')
                   AND NOT EXISTS (SELECT FROM {schema}.outbox_handler own WHERE own.id = :handler_id AND h.id = ANY (own.aliases))
            ), expired AS (
                UPDATE {schema}.outbox_subscription s
                   SET last_seen_at = '-infinity'
                 WHERE s.handler_id = :handler_id
                   AND s.last_seen_at > '-infinity'
                   AND (SELECT coalesce(holder.name, successor.id) FROM holder, successor) IS NULL
                RETURNING s.handler_id
            ), recorded AS (
                INSERT INTO {schema}.outbox_operation (performed_by, action, reason, handler_id)
                SELECT :actor, 'EXPIRE_HANDLER', :reason, :handler_id
                 WHERE EXISTS (SELECT FROM expired)
            ), version AS (
            """ + HandlerStore.RAISE_VERSIONS.replace("{changed}", "EXISTS (SELECT FROM expired)") + """
            )
            SELECT EXISTS (SELECT FROM {schema}.outbox_handler h WHERE h.id = :handler_id)
                   OR EXISTS (SELECT FROM {schema}.outbox_operation p WHERE p.handler_id = :handler_id AND p.action = 'EXPIRE_HANDLER'),
                   holder.name, successor.id, EXISTS (SELECT FROM expired)
              FROM holder, successor
            """;

    /** Relies on outbox_delivery_pk and outbox_lane_pk, and reads the registry: an instance may have registered the handler meanwhile. */
    static final String DEAD_LETTER = """
            WITH expired AS (
                UPDATE {schema}.outbox_delivery d
                   SET status = 'DEAD',
                       next_retry_at = NULL,
                       last_error_code = 'HANDLER_EXPIRED',
                       last_error = {message},
                       failures = {failures}
                  FROM (SELECT d.place
                          FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
                         CROSS JOIN LATERAL (SELECT d.ctid AS place, d.*, {every id} AS ids
                                               FROM {schema}.outbox_delivery d
                                              WHERE d.outbox_id = k.outbox_id
                                                AND d.handler_id = k.handler_id
                                              LIMIT 1) d
                         WHERE d.status = 'OPEN'
                           AND NOT {leased}
                           AND NOT {registered}) open
                 WHERE d.ctid = open.place
                RETURNING d.handler_id
            )
            SELECT handler_id, count(*) FROM expired GROUP BY handler_id
            """.replace(
                    "{failures}", FailureHistory.appended("d.attempt_count", "'HANDLER_EXPIRED'", "{message}"))
            .replace("{message}", "'the registration of the handler for events like this one has expired'")
            .replace("{every id}", EVERY_ID.replace("{handler_id}", "d.handler_id"))
            .replace("{leased}", LaneSql.LEASED)
            .replace("{registered}", REGISTERED.replace("x.", "d.").replace("{renewed}", RENEWED));

    /** Before the subscriptions, as a registration does: the opposite order would deadlock with it. */
    private static final String LOCK_HANDLERS = "LOCK TABLE {schema}.outbox_handler IN ROW EXCLUSIVE MODE";

    /** Reads the registry. Records what has expired by age: the command of an operator is recorded already. */
    static final String DELETE_SUBSCRIPTIONS = """
            WITH expired AS (
                DELETE FROM {schema}.outbox_subscription s
                 WHERE NOT {renewed}
                RETURNING s.handler_id, s.event_type, s.last_seen_at
            )
            INSERT INTO {schema}.outbox_operation (performed_by, action, reason, handler_id)
            SELECT 'the outbox', 'EXPIRE_HANDLER',
                   'no instance has renewed a registration for ' || string_agg(DISTINCT expired.event_type, ', ')
                   || ' since ' || (max(expired.last_seen_at) AT TIME ZONE 'UTC')::timestamp(0) || ' UTC', expired.handler_id
              FROM expired
             WHERE expired.last_seen_at > '-infinity'
             GROUP BY expired.handler_id
            """.replace("{renewed}", RENEWED);

    /** Reads the registry; relies on outbox_delivery_backlog and outbox_replay_unfinished. A paused handler stays paused. */
    static final String DELETE_HANDLERS = BACKLOG + """
            DELETE FROM {schema}.outbox_handler h
             WHERE NOT h.paused
               AND NOT EXISTS (SELECT FROM {schema}.outbox_subscription s WHERE s.handler_id = h.id)
               AND NOT EXISTS (SELECT FROM backlog x WHERE x.handler_id = h.id)
               AND NOT EXISTS (SELECT FROM {schema}.outbox_replay r WHERE r.handler_id = h.id AND r.finished_at IS NULL)
            """;

    private final DataSource dataSource;
    private final Pipeline absent;
    private final Pipeline expire;
    private final Pipeline expired;
    private final Pipeline deadLetter;
    private final Pipeline delete;

    HandlerExpiryStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.absent = new Pipeline(schema, ABSENT);
        this.expire = Pipeline.durable(schema, Duration.ofSeconds(10), HandlerStore.LOCK_REGISTRY, EXPIRE);
        this.expired = new Pipeline(schema, EXPIRED);
        this.deadLetter = new Pipeline(
                schema, LaneSql.LOCK_EVENTS, LaneSql.LOCK_LANES, DEAD_LETTER, LaneSql.REFRESH, LaneSql.COMPLETE);
        this.delete = new Pipeline(schema, LOCK_HANDLERS, DELETE_SUBSCRIPTIONS, DELETE_HANDLERS);
    }

    /** Handler that no running instance has for some kinds of events, and how many deliveries of these wait for it. */
    record Absent(
            String id, Set<Subscription> kinds, @Nullable Instant lastSeen, long waiting) {}

    /** Finds the handlers that deliveries wait for although no running instance has them. */
    List<Absent> absent() throws SQLException {
        return absent.run(
                dataSource,
                (parameters) -> {},
                (results) -> results.list((row) -> {
                    OffsetDateTime lastSeen = row.getObject(3, OffsetDateTime.class);
                    return new Absent(
                            row.getString(1),
                            Subscriptions.read(row, 2),
                            lastSeen == null ? null : lastSeen.toInstant(),
                            row.getLong(4));
                }));
    }

    /**
     * Whether the handler was ever registered, the running instance that has it, the registered handler that has its id as an alias, and
     * whether its registration was expired.
     */
    record Result(
            boolean known,
            @Nullable String instance,
            @Nullable String successor,
            boolean changed) {}

    /** Expires the registration of a handler that no running instance has, durably, and records the operator and the reason. */
    Result expire(String handlerId, AuditInfo audit) throws SQLException {
        return expire.run(
                dataSource,
                (parameters) -> parameters
                        .set("handler_id", handlerId)
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) -> {
                    ResultSet row = results.row();
                    return new Result(row.getBoolean(1), row.getString(2), row.getString(3), row.getBoolean(4));
                });
    }

    /** Dead-letters one batch of deliveries whose registration has expired, and returns how many of each handler. */
    Map<String, Long> deadLetter(Duration unseenFor, int batchSize) throws SQLException {
        List<DeliveryRef> found = expired.run(
                dataSource,
                (parameters) ->
                        parameters.set("expiry_millis", unseenFor.toMillis()).set("limit", batchSize),
                (results) -> results.list(DeliveryRef::read));
        if (found.isEmpty()) {
            return Map.of();
        }
        FaultPoint.INSIDE_HANDLER_EXPIRY.reached();
        return deadLetter.run(
                dataSource,
                (parameters) -> DeliveryRef.bind(parameters, found).set("expiry_millis", unseenFor.toMillis()),
                (results) -> results.map(DEAD_LETTER, (row) -> row.getLong(2)));
    }

    /** Deletes expired registrations; a handler that is paused, has dead deliveries or is replayed to stays. */
    void deleteExpired(Duration unseenFor) throws SQLException {
        delete.run(dataSource, (parameters) -> parameters.set("expiry_millis", unseenFor.toMillis()));
    }
}
