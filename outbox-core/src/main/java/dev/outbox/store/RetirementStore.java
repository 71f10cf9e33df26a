package dev.outbox.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** Finds handlers that no process has shown for long, and gives up what waits for them. */
public final class RetirementStore {

    /** Whether a subscription {@code s} of the handler {@code h} is one that a running process is counted on to have, under any name. */
    private static final String COVERED = """
            EXISTS (SELECT
                                     FROM {schema}.outbox_handler live
                                     JOIN {schema}.outbox_subscription wanted ON wanted.handler_id = live.id
                                    WHERE (live.id = s.handler_id OR s.handler_id = ANY (live.aliases))
                                      AND wanted.event_type IN (s.event_type, '*')
                                      AND wanted.last_seen_at >= now() - ? * interval '1 millisecond')""";

    /** Reads the registry whole, and the open deliveries of what is missing. */
    private static final String MISSING = """
            SELECT s.handler_id,
                   max(h.last_seen_at),
                   (SELECT count(*)
                      FROM {schema}.outbox_delivery d
                     WHERE d.handler_id = s.handler_id
                       AND d.status <> 'DEAD')
              FROM {schema}.outbox_subscription s
              JOIN {schema}.outbox_handler h ON h.id = s.handler_id
             WHERE NOT {covered}
             GROUP BY s.handler_id
             ORDER BY s.handler_id
            """.replace("{covered}", COVERED);

    /** Reads the registry whole, and the open deliveries of what is missing: only where there is such, which is rare. */
    private static final String ORPHANS = """
            SELECT d.outbox_id, d.handler_id, d.aggregate_type, d.aggregate_id
              FROM {schema}.outbox_subscription s
              JOIN {schema}.outbox_delivery d
                ON d.handler_id = s.handler_id
               AND (d.event_type = s.event_type OR s.event_type = '*')
               AND d.status <> 'DEAD'
               AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp())
             WHERE s.last_seen_at < now() - ? * interval '1 millisecond'
               AND NOT {covered}
             LIMIT ?
            """.replace("{covered}", COVERED);

    /** Relies on outbox_delivery_pk. */
    private static final String BURY = """
            WITH buried AS (
                UPDATE {schema}.outbox_delivery d
                   SET status = 'DEAD',
                       head = false,
                       next_retry_at = NULL,
                       locked_by = NULL,
                       lock_token = NULL,
                       locked_until = NULL,
                       last_error_code = 'HANDLER_RETIRED',
                       last_error = 'no process has had this handler, or wanted this event type in it, for long'
                  FROM unnest(?::bigint[], ?::text[]) AS k (outbox_id, handler_id)
                 WHERE d.outbox_id = k.outbox_id
                   AND d.handler_id = k.handler_id
                   AND d.status <> 'DEAD'
                   AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp())
                RETURNING d.handler_id
            )
            SELECT handler_id, count(*)
              FROM buried
             GROUP BY handler_id
            """;

    private final DataSource dataSource;
    private final Pipeline missing;
    private final Pipeline orphans;
    private final Pipeline bury;

    /**
     * Creates a store.
     *
     * @param dataSource where the tables are
     * @param schema the schema that holds them
     */
    public RetirementStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.missing = new Pipeline(schema, MISSING);
        this.orphans = new Pipeline(schema, ORPHANS);
        this.bury =
                new Pipeline(schema, LaneSql.LOCK_EVENTS, LaneSql.LOCK_LANES, BURY, LaneSql.PROMOTE, LaneSql.COMPLETE);
    }

    /**
     * A handler that was registered, and that no process has shown lately.
     *
     * @param id the handler
     * @param lastSeen when a process had it last
     * @param open how many deliveries wait for it
     */
    public record Missing(String id, Instant lastSeen, long open) {}

    private record Orphan(DeliveryKey key, String aggregateType, String aggregateId) {}

    /**
     * Finds handlers that no process has shown, or has not wanted some event type in, and that no running handler was before.
     *
     * @param unseenFor for how long
     * @return the handlers, by id
     * @throws SQLException if the database refused or could not be reached
     */
    public List<Missing> missing(Duration unseenFor) throws SQLException {
        return missing.run(dataSource, (parameters) -> parameters.add(unseenFor.toMillis()), (results) -> {
            List<Missing> handlers = new ArrayList<>();
            ResultSet row = results.rows();
            while (row.next()) {
                handlers.add(new Missing(
                        row.getString(1), row.getObject(2, OffsetDateTime.class).toInstant(), row.getLong(3)));
            }
            return handlers;
        });
    }

    /**
     * Makes one batch of deliveries dead that wait for what no process has shown. Several processes may do so at the same time.
     *
     * @param unseenFor for how long
     * @param batchSize at most how many
     * @return how many, by handler id; empty if there are none
     * @throws SQLException if the database refused or could not be reached; nothing was written then, or its answer was lost
     */
    public Map<String, Long> bury(Duration unseenFor, int batchSize) throws SQLException {
        List<Orphan> found = orphans(unseenFor, batchSize);
        if (found.isEmpty()) {
            return Map.of();
        }
        long[] ids = SettleStore.longs(found, (one) -> one.key().outboxId());
        String[] handlers = SettleStore.texts(found, (one) -> one.key().handlerId());
        String[] types = SettleStore.texts(found, Orphan::aggregateType);
        String[] aggregates = SettleStore.texts(found, Orphan::aggregateId);
        return bury.run(
                dataSource,
                (parameters) -> parameters
                        .add((Object) ids)
                        .add(types, aggregates, handlers)
                        .add(ids, handlers)
                        .add(types, aggregates, handlers)
                        .add((Object) ids),
                (results) -> {
                    results.skip(2);
                    Map<String, Long> buried = new TreeMap<>();
                    ResultSet row = results.rows();
                    while (row.next()) {
                        buried.put(row.getString(1), row.getLong(2));
                    }
                    return buried;
                });
    }

    private List<Orphan> orphans(Duration unseenFor, int batchSize) throws SQLException {
        long millis = unseenFor.toMillis();
        return orphans.run(dataSource, (parameters) -> parameters.add(millis, millis, batchSize), (results) -> {
            List<Orphan> found = new ArrayList<>();
            ResultSet row = results.rows();
            while (row.next()) {
                found.add(new Orphan(
                        new DeliveryKey(row.getLong(1), row.getString(2)), row.getString(3), row.getString(4)));
            }
            return found;
        });
    }
}
