package dev.outbox.internal.absence;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.lane.DeliveryRef;
import dev.outbox.internal.lane.LaneSql;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.registry.Subscriptions;
import dev.outbox.internal.sql.Counted;
import dev.outbox.internal.sql.LooseScan;
import dev.outbox.internal.sql.NamedSql;
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
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Finds deliveries that wait for handlers without an instance, dead-letters them when the registration expires, and deletes that. */
final class HandlerExpiryStore {

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

    /** Kinds of open deliveries that no registered handler takes. */
    private static final String ORPHANS =
            BACKLOG + """
            , waiting AS MATERIALIZED (
                SELECT x.*, {every id} AS ids FROM backlog x WHERE x.status = 'OPEN'
            ), orphan AS (
                SELECT x.* FROM waiting x WHERE NOT {registered}
            )
            """.replace("{every id}", EVERY_ID.replace("{handler_id}", "x.handler_id"));

    /** Relies on outbox_delivery_backlog, and reads the registry. */
    static final String EXPIRED = ORPHANS.replace("{registered}", hasVersion("x", Subscriptions.takes("x"), RENEWED))
            + """
            SELECT {key}
              FROM orphan x
             CROSS JOIN LATERAL (SELECT * FROM {schema}.outbox_delivery d WHERE {same kind} LIMIT :limit) d
             LIMIT :limit
            """.replace("{key}", DeliveryRef.COLUMNS).replace("{same kind}", SAME_KIND);

    /**
     * Subscriptions of running instances, with each of their streams. Read once: a search of the arrays for each delivery takes quadratic time.
     */
    private static final String LIVE = """
            , live AS MATERIALIZED (
                SELECT DISTINCT k.key, coalesce(p.stream, '') AS stream
                  FROM {schema}.outbox_instance i
                 CROSS JOIN unnest(i.subscriptions) AS k (key)
                  LEFT JOIN unnest(i.streams) AS p (stream) ON true
                 WHERE i.last_seen_at >= now() - interval '1 minute'
            )
            """;

    /** Whether a running instance has the subscription {@code s}. */
    private static final String HAS_INSTANCE =
            "{key} IN (SELECT l.key FROM live l)".replace("{key}", Subscriptions.KEY);

    /** Whether {@code n} is a subscription that its handler has since the last heartbeat of {@code s}, and had not before. */
    private static final String NEWER =
            "n.registered_at > greatest(s.registered_at, s.last_seen_at - interval '1 minute')";

    /** Whether instances have renewed the subscription {@code s}: an instance that restarts registers within 10 minutes. */
    private static final String RECENT = "s.last_seen_at >= now() - interval '10 minutes'";

    /**
     * Whether an instance that polls the stream of {@code x} has the subscription {@code s}; or no instance has it, but one that restarts,
     * together with all others or alone, may have it soon. If a handler with the same subscription was registered since, it was probably
     * renamed; and if the handler has another subscription since, probably the class of the event.
     */
    private static final String PRESENT = """
            {recent}
                       AND CASE WHEN {has instance}
                                THEN {polled}
                                ELSE NOT EXISTS (SELECT
                                                   FROM {schema}.outbox_handler h
                                                   JOIN {schema}.outbox_subscription n ON n.handler_id = h.id
                                                  WHERE h.id <> s.handler_id
                                                    AND h.registered_at > s.last_seen_at - interval '1 minute'
                                                    AND (n.event_type, n.aggregate_type, n.stream, n.source)
                                                        = (s.event_type, s.aggregate_type, s.stream, s.source))
                                 AND NOT EXISTS (SELECT
                                                   FROM {schema}.outbox_handler h
                                                  CROSS JOIN LATERAL (SELECT *
                                                                        FROM {schema}.outbox_subscription n
                                                                       WHERE n.handler_id = h.id
                                                                      OFFSET 0) n
                                                  WHERE s.handler_id = ANY (h.id || h.aliases)
                                                    AND n.event_type <> s.event_type
                                                    AND {newer}) END""".replace("{recent}", RECENT)
            .replace("{newer}", NEWER)
            .replace("{has instance}", HAS_INSTANCE)
            .replace("{polled}", "({key}, x.stream) IN (SELECT l.key, l.stream FROM live l)")
            .replace("{key}", Subscriptions.KEY);

    /**
     * Reads the registry and outbox_instance whole; relies on outbox_delivery_backlog to count what waits, and on outbox_lane_pk and
     * outbox_delivery_lane to count what the handler takes and waits behind it.
     */
    static final String ABSENT = ORPHANS.replace("{registered}", hasVersion("x", Subscriptions.takes("x"), PRESENT))
            + LIVE
            + """
            , absent AS MATERIALIZED (
                SELECT x.*,
                       CASE WHEN {selected} THEN 'UNPOLLED'
                            WHEN EXISTS (SELECT
                                           FROM {schema}.outbox_instance i
                                          WHERE i.handlers && x.ids
                                            AND i.last_seen_at >= now() - interval '1 minute') THEN 'NOT_SELECTED'
                            ELSE 'ABSENT' END AS problem
                  FROM orphan x
            )
            SELECT x.handler_id, x.problem, ARRAY[x.event_type, x.aggregate_type, x.stream, x.source], d.waiting, behind.waiting,
                   (SELECT nullif(max(s.last_seen_at), '-infinity') FROM {schema}.outbox_subscription s WHERE s.handler_id = x.handler_id),
                   CASE WHEN taken.last_seen_at > now() - interval '{subscription} minutes' THEN taken.last_seen_at END, taken.event_types,
                   ARRAY(SELECT DISTINCT n.event_type
                           FROM {schema}.outbox_handler h
                           JOIN {schema}.outbox_subscription n ON n.handler_id = h.id
                          WHERE (h.id = ANY (x.ids) OR h.aliases && x.ids)
                            AND {newer})
              FROM absent x
             CROSS JOIN LATERAL (SELECT count(*) AS waiting, min(d.open_since) AS since
                                   FROM (SELECT d.open_since FROM {schema}.outbox_delivery d WHERE {same kind} LIMIT {most}) d) d
             CROSS JOIN LATERAL (SELECT count(*) AS waiting
                                   FROM (SELECT
                                           FROM (SELECT d.* FROM {schema}.outbox_delivery d WHERE {same kind} LIMIT {most}) d
                                          CROSS JOIN LATERAL (SELECT l.first_seq
                                                                FROM {schema}.outbox_lane l
                                                               WHERE {lane of d}
                                                               LIMIT 1) l
                                          CROSS JOIN LATERAL (SELECT
                                                                FROM {schema}.outbox_delivery w
                                                               WHERE {lane of w}
                                                                 AND w.status = 'OPEN'
                                                                 AND w.aggregate_seq > d.aggregate_seq
                                                                 AND NOT EXISTS (SELECT FROM absent x WHERE {kind of w})
                                                               LIMIT {most}) w
                                          WHERE x.problem = 'NOT_SELECTED'
                                            AND l.first_seq = d.aggregate_seq
                                          LIMIT {most}) behind) behind
             CROSS JOIN LATERAL (SELECT max(s.last_seen_at) AS last_seen_at, max(s.registered_at) AS registered_at,
                                          array_agg(DISTINCT s.event_type) AS event_types
                                   FROM {schema}.outbox_handler h
                                   JOIN {schema}.outbox_subscription s ON s.handler_id = h.id
                                  WHERE (h.id = ANY (x.ids) OR h.aliases && x.ids)
                                    AND s.last_seen_at > '-infinity'
                                    AND {takes}) taken
             WHERE x.problem <> 'UNPOLLED'
                OR d.since < now() - interval '2 minutes'
             ORDER BY x.handler_id, x.problem, x.stream, x.event_type
            """.replace("{selected}", hasVersion("x", Subscriptions.takes("x"), RECENT + " AND " + HAS_INSTANCE))
                    .replace("{takes}", Subscriptions.takes("x"))
                    .replace("{newer}", NEWER.replace("s.", "taken."))
                    .replace("{subscription}", Long.toString(HandlerStore.EXPIRE_SUBSCRIPTION_AFTER.toMinutes()))
                    .replace("{same kind}", SAME_KIND)
                    .replace("{kind of w}", SAME_KIND.replace("d.", "w."))
                    .replace("{lane of d}", LaneSql.sameLane("l", "d"))
                    .replace("{lane of w}", LaneSql.sameLane("w", "d"))
                    .replace("{most}", Integer.toString(Counted.MOST_OF_EACH));

    /**
     * Subscriptions that no instance renews, of handlers that one has. Instances renew theirs each minute, so that these are at most 90 s
     * old. While no instance has the handler, in any version, nothing of it expires.
     */
    private static final String UNRENEWED = """
            WITH renewed AS MATERIALIZED (
                SELECT known.id
                  FROM {schema}.outbox_handler h
                  JOIN {schema}.outbox_subscription s ON s.handler_id = h.id
                 CROSS JOIN LATERAL unnest(h.id || h.aliases) AS known (id)
                 WHERE s.last_seen_at >= now() - interval '3 minutes'
            ), unrenewed AS MATERIALIZED (
                SELECT s.*
                  FROM {schema}.outbox_subscription s
                  JOIN {schema}.outbox_handler h ON h.id = s.handler_id
                 WHERE s.last_seen_at > '-infinity'
                   AND s.last_seen_at < now() - interval '3 minutes'
                   AND EXISTS (SELECT FROM renewed WHERE renewed.id = ANY (h.id || h.aliases))
            )
            """;

    /** Reads the registry whole. */
    static final String UNTIL_EXPIRY = UNRENEWED + """
            SELECT ceil(extract(epoch FROM min(u.last_seen_at) - clock_timestamp()) * 1000)::bigint + :subscription_millis
              FROM unrenewed u
            """;

    /** Ends subscriptions, as the command of an operator does; {@code {expired}} updates and returns them. */
    private static final String END_SUBSCRIPTIONS =
            """
            , recorded AS (
                INSERT INTO {schema}.outbox_operation (performed_by, action, reason, handler_id)
                SELECT {by}, 'EXPIRE_SUBSCRIPTION', string_agg(DISTINCT expired.event_type, ', ') || ': ' || {reason}, {handler}
                  FROM expired
                 GROUP BY 4
            ), version AS (
            """ + HandlerStore.RAISE_VERSIONS.replace("{changed}", "EXISTS (SELECT FROM expired)") + """
            )
            """;

    /** Reads the registry whole; relies on outbox_subscription_pk and outbox_stream_pk. */
    static final String EXPIRE_UNRENEWED = UNRENEWED
            + """
            , expired AS (
                UPDATE {schema}.outbox_subscription s
                   SET last_seen_at = '-infinity'
                  FROM unrenewed u
                 WHERE (s.handler_id, s.event_type, s.aggregate_type, s.stream, s.source)
                       = (u.handler_id, u.event_type, u.aggregate_type, u.stream, u.source)
                   AND u.last_seen_at <= now() - :subscription_millis * interval '1 millisecond'
                RETURNING s.handler_id, s.event_type, u.last_seen_at
            )"""
            + END_SUBSCRIPTIONS
                    .replace("{by}", "'the outbox'")
                    .replace(
                            "{reason}",
                            "'no instance has renewed the subscription since '"
                                    + " || (max(expired.last_seen_at) AT TIME ZONE 'UTC')::timestamp(0) || ' UTC'")
                    .replace("{handler}", "expired.handler_id")
            + """
            SELECT expired.handler_id, string_agg(DISTINCT expired.event_type, ', ') FROM expired GROUP BY expired.handler_id
            """;

    /** Reads the registry whole; relies on outbox_subscription_pk and outbox_stream_pk. */
    static final String EXPIRE_SUBSCRIPTION =
            """
            WITH named AS MATERIALIZED (
                SELECT {every id} AS ids
            ), subscription AS MATERIALIZED (
                SELECT s.*, s.last_seen_at >= now() - interval '2 minutes' AS renewed
                  FROM named
                  JOIN {schema}.outbox_handler h ON h.id = ANY (named.ids) OR h.aliases && named.ids
                  JOIN {schema}.outbox_subscription s ON s.handler_id = h.id
                 WHERE s.event_type = :event_type
                   AND s.last_seen_at > '-infinity'
            ), expired AS (
                UPDATE {schema}.outbox_subscription s
                   SET last_seen_at = '-infinity'
                  FROM subscription u
                 WHERE (s.handler_id, s.event_type, s.aggregate_type, s.stream, s.source)
                       = (u.handler_id, u.event_type, u.aggregate_type, u.stream, u.source)
                   AND NOT u.renewed
                RETURNING s.event_type
            )""".replace("{every id}", EVERY_ID.replace("{handler_id}", ":handler_id::text"))
                    + END_SUBSCRIPTIONS
                            .replace("{by}", ":actor")
                            .replace("{reason}", ":reason")
                            .replace("{handler}", ":handler_id::text")
                    + """
            SELECT EXISTS (SELECT FROM {schema}.outbox_handler h, named WHERE h.id = ANY (named.ids) OR h.aliases && named.ids),
                   EXISTS (SELECT FROM subscription WHERE subscription.renewed),
                   EXISTS (SELECT FROM expired)
            """;

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

    /**
     * Relies on outbox_delivery_pk and outbox_lane_pk, and reads the registry: an instance may have registered the handler meanwhile. If
     * other versions of the handler are registered, it has dropped such events.
     */
    static final String DEAD_LETTER = """
            WITH expired AS (
                UPDATE {schema}.outbox_delivery d
                   SET status = 'DEAD',
                       next_retry_at = NULL,
                       last_error_code = open.code,
                       last_error = {message},
                       failures = {schema}.outbox_add_failure(d.failures, d.attempt_count, open.code, {message}, NULL, NULL)
                  FROM (SELECT d.place, CASE WHEN {has version} THEN 'NOT_SELECTED' ELSE 'HANDLER_EXPIRED' END AS code
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
                RETURNING d.handler_id, d.last_error_code
            )
            SELECT handler_id, last_error_code, count(*) FROM expired GROUP BY handler_id, last_error_code
            """.replace(
                    "{message}",
                    "CASE open.code WHEN 'NOT_SELECTED' THEN 'no running version of the handler takes events like this one'"
                            + " ELSE 'the registration of the handler for events like this one has expired' END")
            .replace("{every id}", EVERY_ID.replace("{handler_id}", "d.handler_id"))
            .replace("{leased}", LaneSql.LEASED)
            .replace("{has version}", hasVersion("d", "true", RENEWED))
            .replace("{registered}", hasVersion("d", Subscriptions.takes("d"), RENEWED));

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
             WHERE h.paused_until <= now()
               AND NOT EXISTS (SELECT FROM {schema}.outbox_subscription s WHERE s.handler_id = h.id)
               AND NOT EXISTS (SELECT FROM backlog x WHERE x.handler_id = h.id)
               AND NOT EXISTS (SELECT FROM {schema}.outbox_replay r WHERE r.handler_id = h.id AND r.finished_at IS NULL)
            """;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final DataSource dataSource;
    private final Pipeline absent;
    private final Pipeline expire;
    private final Pipeline expireSubscription;
    private final Pipeline untilExpiry;
    private final Pipeline expireUnrenewed;
    private final Pipeline expired;
    private final Pipeline deadLetter;
    private final Pipeline delete;
    private final LeaseStore leases;

    HandlerExpiryStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.absent = new Pipeline(schema, ABSENT);
        this.expire = Pipeline.durable(schema, LONGEST_WAIT, HandlerStore.LOCK_REGISTRY, EXPIRE);
        this.expireSubscription =
                Pipeline.durable(schema, LONGEST_WAIT, HandlerStore.LOCK_REGISTRY, EXPIRE_SUBSCRIPTION);
        this.untilExpiry = new Pipeline(schema, UNTIL_EXPIRY);
        this.expireUnrenewed = Pipeline.durable(schema, LONGEST_WAIT, HandlerStore.LOCK_REGISTRY, EXPIRE_UNRENEWED);
        this.expired = new Pipeline(schema, EXPIRED);
        this.deadLetter = new Pipeline(schema, LaneSql.changing(List.of(), DEAD_LETTER));
        this.delete = new Pipeline(schema, LOCK_HANDLERS, DELETE_SUBSCRIPTIONS, DELETE_HANDLERS);
        this.leases = new LeaseStore(dataSource, schema);
    }

    /**
     * Returns the condition that a version of the handler of a row, under any of its ids, has such a subscription {@code s}. Finds the versions
     * before their subscriptions: in the opposite order, each row costs a look at all handlers of its event type.
     */
    private static String hasVersion(String row, String takes, String renewed) {
        return """
                EXISTS (SELECT
                          FROM unnest(ARRAY(SELECT h.id
                                              FROM {schema}.outbox_handler h
                                             WHERE h.id = ANY ({row}.ids)
                                                OR h.aliases && {row}.ids)) AS h (id)
                         CROSS JOIN LATERAL (SELECT * FROM {schema}.outbox_subscription s WHERE s.handler_id = h.id OFFSET 0) s
                         WHERE {takes}
                           AND {renewed})
                """.replace("{row}", row).replace("{takes}", takes).replace("{renewed}", renewed);
    }

    /** Finds the deliveries that no running instance takes. */
    List<Absent> absent() throws SQLException {
        return absent.run(dataSource, (parameters) -> {}, (results) -> results.list(HandlerExpiryStore::readAbsent));
    }

    private static Absent readAbsent(ResultSet row) throws SQLException {
        String[] kind = (String[]) row.getArray(3).getArray();
        Counted waiting = Counted.upTo(row.getLong(4), Counted.MOST_OF_EACH);
        Counted behind = Counted.upTo(row.getLong(5), Counted.MOST_OF_EACH);
        return new Absent(
                row.getString(1),
                Absent.Problem.valueOf(row.getString(2)),
                new Subscription(kind[0], kind[1], kind[2], kind[3]),
                waiting,
                new Counted(behind.value(), behind.exact() && waiting.exact()),
                instant(row, 6),
                instant(row, 7),
                row.getArray(8) == null ? Set.of() : Subscriptions.texts(row, 8),
                Subscriptions.texts(row, 9));
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** Returns the time until the next subscription expires, of those that no instance renews; empty if instances renew all. */
    Optional<Duration> untilSubscriptionExpires() throws SQLException {
        return untilExpiry.run(dataSource, HandlerExpiryStore::bindSubscriptionAge, (results) -> {
            ResultSet row = results.row();
            long millis = row.getLong(1);
            return row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
        });
    }

    /** Expires the subscriptions that no instance has renewed for long, durably, and returns their event types by handler. */
    Map<String, String> expireUnrenewed() throws SQLException {
        return expireUnrenewed.run(
                dataSource,
                HandlerExpiryStore::bindSubscriptionAge,
                (results) -> results.map((row) -> row.getString(2)));
    }

    private static void bindSubscriptionAge(NamedSql.Parameters parameters) throws SQLException {
        parameters.set("subscription_millis", HandlerStore.EXPIRE_SUBSCRIPTION_AFTER.toMillis());
    }

    /** Expires the subscriptions of a handler to an event type that no running instance has, durably, and records the operator and the reason. */
    Expired.OfSubscription expireSubscription(String handlerId, String eventType, AuditInfo audit) throws SQLException {
        return expireSubscription.run(
                dataSource,
                (parameters) -> parameters
                        .set("handler_id", handlerId)
                        .set("event_type", eventType)
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) -> {
                    ResultSet row = results.row();
                    return new Expired.OfSubscription(row.getBoolean(1), row.getBoolean(2), row.getBoolean(3), 0);
                });
    }

    /** Expires the registration of a handler that no running instance has, durably, and records the operator and the reason. */
    Expired expire(String handlerId, AuditInfo audit) throws SQLException {
        return expire.run(
                dataSource,
                (parameters) -> parameters
                        .set("handler_id", handlerId)
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) -> {
                    ResultSet row = results.row();
                    return new Expired(row.getBoolean(1), row.getString(2), row.getString(3), row.getBoolean(4), 0);
                });
    }

    /** Deliveries of a handler that became dead letters with a code. */
    record Dead(String handlerId, String code, long count) {}

    /** Dead-letters one batch of deliveries whose registration has expired, and returns how many of each handler. */
    List<Dead> deadLetter(Duration unseenFor, int batchSize) throws SQLException {
        List<DeliveryRef> found = expired.run(
                dataSource,
                (parameters) ->
                        parameters.set("expiry_millis", unseenFor.toMillis()).set("limit", batchSize),
                (results) -> results.list(DeliveryRef::read));
        if (found.isEmpty()) {
            return List.of();
        }
        FaultPoint.INSIDE_HANDLER_EXPIRY.reached();
        leases.endExpired(DeliveryRef.streams(found));
        return deadLetter.run(
                dataSource,
                (parameters) -> DeliveryRef.bind(parameters, found).set("expiry_millis", unseenFor.toMillis()),
                (results) -> results.list(
                        DEAD_LETTER, (row) -> new Dead(row.getString(1), row.getString(2), row.getLong(3))));
    }

    /** Deletes expired registrations; a handler that is paused, has dead deliveries or is replayed to stays. */
    void deleteExpired(Duration unseenFor) throws SQLException {
        delete.run(dataSource, (parameters) -> parameters.set("expiry_millis", unseenFor.toMillis()));
    }
}
