package dev.outbox.internal.store;

import dev.outbox.internal.delivery.AuditInfo;
import dev.outbox.internal.delivery.Subscription;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Finds registered handlers that no running instance has, and expires a registration before its time. */
public final class AbsentHandlerStore {

    /** The largest number of waiting deliveries that {@link #find} counts for a handler. */
    public static final int MOST_COUNTED = 10_000;

    /** Whether a running instance has a handler, under any of its ids, that takes {@code x}. Reads the registry whole. */
    private static final String PRESENT = """
            EXISTS (SELECT
                                     FROM {schema}.outbox_handler h
                                     JOIN {schema}.outbox_subscription s ON s.handler_id = h.id
                                     JOIN {schema}.outbox_instance i ON h.id = ANY (i.handlers)
                                    WHERE (h.id = x.handler_id OR x.handler_id = ANY (h.aliases))
                                      AND {takes}
                                      AND s.last_seen_at >= now() - interval '3 minutes'
                                      AND i.last_seen_at >= now() - interval '1 minute')
            """.replace("{takes}", Subscriptions.takes("x"));

    /** Reads the registry whole; relies on outbox_delivery_backlog to count what waits, up to a bound. */
    static final String ABSENT = HandlerExpiryStore.BACKLOG
            + """
            SELECT absent.handler_id, absent.subscriptions, absent.last_seen_at, absent.last_seen_at < now() - interval '1 hour',
                   (SELECT count(*)
                      FROM (SELECT
                              FROM backlog x
                             CROSS JOIN LATERAL (SELECT
                                                   FROM {schema}.outbox_delivery d
                                                  WHERE {own}
                                                  LIMIT {most}) d
                             WHERE x.handler_id = absent.handler_id
                               AND x.status <> 'DEAD'
                               AND NOT {present}
                             LIMIT {most}) open)
              FROM (SELECT x.handler_id,
                           array_agg(DISTINCT ARRAY[x.event_type, x.aggregate_type, x.stream, x.source]) AS subscriptions,
                           nullif(max(x.last_seen_at), '-infinity') AS last_seen_at
                      FROM (SELECT s.handler_id, s.event_type, s.aggregate_type, s.stream, s.source, s.last_seen_at
                              FROM {schema}.outbox_subscription s
                             UNION ALL
                            SELECT b.handler_id, b.event_type, b.aggregate_type, b.stream, b.source, NULL
                              FROM backlog b
                             WHERE b.status <> 'DEAD') x
                     WHERE NOT {present}
                     GROUP BY x.handler_id) absent
             ORDER BY absent.handler_id
            """.replace("{present}", PRESENT)
                    .replace("{own}", HandlerExpiryStore.deliveriesOf("x"))
                    .replace("{most}", Integer.toString(MOST_COUNTED));

    /**
     * Reads the registry whole; relies on outbox_delivery_backlog, outbox_operation_handler, outbox_subscription_pk and outbox_stream_pk.
     * Every subscription that a delivery waits for expires, also one that was deleted. A change raises the versions, so that every instance
     * obeys from its next claim on. Of two handlers that have each other's id as an alias, after a rename and its reversal, neither is the
     * successor.
     */
    static final String EXPIRE = HandlerExpiryStore.BACKLOG + """
            , holder AS (
                SELECT i.name
                  FROM {schema}.outbox_instance i
                 WHERE :handler_id = ANY (i.handlers)
                   AND i.last_seen_at >= now() - interval '1 minute'
                 ORDER BY i.name
                 LIMIT 1
            ), successor AS (
                SELECT h.id
                  FROM {schema}.outbox_handler h
                 WHERE :handler_id = ANY (h.aliases)
                   AND EXISTS (SELECT
                                 FROM {schema}.outbox_subscription s
                                WHERE s.handler_id = h.id
                                  AND s.last_seen_at > '-infinity')
                   AND NOT EXISTS (SELECT
                                     FROM {schema}.outbox_handler own
                                    WHERE own.id = :handler_id
                                      AND h.id = ANY (own.aliases))
                 ORDER BY h.id
                 LIMIT 1
            ), expired AS (
                INSERT INTO {schema}.outbox_subscription AS s (handler_id, event_type, aggregate_type, stream, source, last_seen_at)
                SELECT :handler_id, own.*, '-infinity'
                  FROM (SELECT registered.event_type, registered.aggregate_type, registered.stream, registered.source
                          FROM {schema}.outbox_subscription registered
                         WHERE registered.handler_id = :handler_id
                         UNION
                        SELECT b.event_type, b.aggregate_type, b.stream, b.source
                          FROM backlog b
                         WHERE b.handler_id = :handler_id
                           AND b.status <> 'DEAD') own
                 WHERE NOT EXISTS (SELECT FROM holder)
                   AND NOT EXISTS (SELECT FROM successor)
                ON CONFLICT (handler_id, event_type, aggregate_type, stream, source) DO UPDATE
                   SET last_seen_at = '-infinity'
                 WHERE s.last_seen_at > '-infinity'
                RETURNING s.handler_id
            ), recorded AS (
                INSERT INTO {schema}.outbox_operation (performed_by, action, reason, handler_id)
                SELECT :actor, 'EXPIRE_HANDLER', :reason, :handler_id
                 WHERE EXISTS (SELECT FROM expired)
            ), version AS (
                UPDATE {schema}.outbox_stream s
                   SET registry_version = s.registry_version + 1
                  FROM (SELECT one.stream
                          FROM {schema}.outbox_stream one
                         WHERE EXISTS (SELECT FROM expired)
                         ORDER BY one.stream
                           FOR UPDATE) known
                 WHERE s.stream = known.stream
            )
            SELECT EXISTS (SELECT FROM {schema}.outbox_handler h WHERE h.id = :handler_id)
                   OR EXISTS (SELECT FROM backlog b WHERE b.handler_id = :handler_id)
                   OR EXISTS (SELECT
                                FROM {schema}.outbox_operation p
                               WHERE p.handler_id = :handler_id
                                 AND p.action = 'EXPIRE_HANDLER'),
                   (SELECT holder.name FROM holder),
                   (SELECT successor.id FROM successor),
                   EXISTS (SELECT FROM expired)
            """;

    /** Relies on outbox_handler_pk, outbox_delivery_backlog and outbox_replay_unfinished. A paused handler stays paused. */
    static final String DELETE = HandlerExpiryStore.BACKLOG + """
            DELETE FROM {schema}.outbox_handler h
             WHERE h.id = :handler_id
               AND NOT h.paused
               AND NOT EXISTS (SELECT FROM {schema}.outbox_subscription s WHERE s.handler_id = h.id)
               AND NOT EXISTS (SELECT FROM backlog b WHERE b.handler_id = h.id)
               AND NOT EXISTS (SELECT
                                 FROM {schema}.outbox_replay r
                                WHERE r.handler_id = h.id
                                  AND r.finished_at IS NULL)
            """;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final DataSource dataSource;
    private final Pipeline absent;
    private final Pipeline expire;
    private final Pipeline delete;

    public AbsentHandlerStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.absent = new Pipeline(schema, ABSENT);
        this.expire = Pipeline.durable(schema, LONGEST_WAIT, HandlerStore.LOCK_REGISTRY, EXPIRE);
        this.delete = new Pipeline(schema, HandlerStore.LOCK_REGISTRY, DELETE);
    }

    /** Handler that no running instance has for some events, and how many deliveries of such events wait for it. */
    public record Absent(
            String id,
            Set<Subscription> subscriptions,
            @Nullable Instant lastSeen,
            boolean forAnHour,
            long waiting) {}

    /** Finds the handlers. */
    public List<Absent> find() throws SQLException {
        return absent.run(dataSource, (parameters) -> {}, (results) -> {
            List<Absent> handlers = new ArrayList<>();
            ResultSet row = results.rows();
            while (row.next()) {
                OffsetDateTime lastSeen = row.getObject(3, OffsetDateTime.class);
                handlers.add(new Absent(
                        row.getString(1),
                        Subscriptions.read(row, 2),
                        lastSeen == null ? null : lastSeen.toInstant(),
                        row.getBoolean(4),
                        row.getLong(5)));
            }
            return handlers;
        });
    }

    /**
     * Whether the handler was ever registered, the running instance that has it, the registered handler that has its id as an alias, and
     * whether its registration was expired.
     */
    public record Result(
            boolean known,
            @Nullable String instance,
            @Nullable String successor,
            boolean changed) {}

    /** Expires the registration of a handler that no running instance has, durably. */
    public Result expire(String handlerId, AuditInfo audit) throws SQLException {
        return expire.run(
                dataSource,
                (parameters) -> parameters
                        .set("handler_id", handlerId)
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) -> {
                    results.skip(1);
                    ResultSet row = results.rows();
                    row.next();
                    return new Result(row.getBoolean(1), row.getString(2), row.getString(3), row.getBoolean(4));
                });
    }

    /** Deletes the registration of a handler unless a subscription, delivery or replay needs it, or it is paused. */
    public void delete(String handlerId) throws SQLException {
        delete.run(dataSource, (parameters) -> parameters.set("handler_id", handlerId), (results) -> {
            results.skip(2);
            return true;
        });
    }
}
