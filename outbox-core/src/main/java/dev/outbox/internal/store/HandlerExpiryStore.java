package dev.outbox.internal.store;

import dev.outbox.internal.delivery.DeliveryKey;
import dev.outbox.internal.fault.FaultPoint;
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
public final class HandlerExpiryStore {

    /** The largest number of waiting deliveries that {@link #missing} counts for a handler. */
    public static final int MOST_COUNTED = 10_000;

    private final DataSource dataSource;
    private final Pipeline missing;
    private final Pipeline orphans;
    private final Pipeline bury;
    private final Pipeline forget;

    /** Creates a store. */
    public HandlerExpiryStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.missing = new Pipeline(schema, HandlerExpirySql.MISSING.replace("{most}", Integer.toString(MOST_COUNTED)));
        this.orphans = new Pipeline(schema, HandlerExpirySql.ORPHANS);
        this.bury = new Pipeline(
                schema,
                LaneSql.LOCK_EVENTS,
                LaneSql.LOCK_LANES,
                HandlerExpirySql.BURY,
                LaneSql.PROMOTE,
                LaneSql.COMPLETE);
        this.forget = new Pipeline(schema, HandlerExpirySql.FORGET_SUBSCRIPTIONS, HandlerExpirySql.FORGET_HANDLERS);
    }

    /** A handler that was registered, and that no process has shown lately. */
    public record Missing(String id, Instant lastSeen, long open) {}

    private record Orphan(DeliveryKey key, String aggregateType, String aggregateId) {}

    /** Finds handlers that no process has shown, or has not wanted some event type in, and that no running handler was before. */
    public List<Missing> missing(Duration unseenFor) throws SQLException {
        return missing.run(
                dataSource, (parameters) -> parameters.set("expiry_millis", unseenFor.toMillis()), (results) -> {
                    List<Missing> handlers = new ArrayList<>();
                    ResultSet row = results.rows();
                    while (row.next()) {
                        handlers.add(new Missing(
                                row.getString(1),
                                row.getObject(2, OffsetDateTime.class).toInstant(),
                                row.getLong(3)));
                    }
                    return handlers;
                });
    }

    /** Makes one batch of deliveries dead that wait for what no process has shown. Several processes may do so at the same time. */
    public Map<String, Long> bury(Duration unseenFor, int batchSize) throws SQLException {
        List<Orphan> found = orphans(unseenFor, batchSize);
        if (found.isEmpty()) {
            return Map.of();
        }
        FaultPoint.INSIDE_HANDLER_EXPIRY.reached();
        return bury.run(
                dataSource,
                (parameters) -> parameters
                        .setLongs("events", found, (one) -> one.key().outboxId())
                        .setTexts("lane_handlers", found, (one) -> one.key().handlerId())
                        .setTexts("lane_types", found, Orphan::aggregateType)
                        .setTexts("lane_ids", found, Orphan::aggregateId),
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

    /**
     * Deletes subscriptions that no process has shown and no delivery waits for, and then handlers that have none. A handler stays
     * while it is paused, has dead deliveries, or is replayed to.
     */
    public void forget(Duration unseenFor) throws SQLException {
        forget.run(dataSource, (parameters) -> parameters.set("expiry_millis", unseenFor.toMillis()), (results) -> {
            results.skip(2);
            return true;
        });
    }

    private List<Orphan> orphans(Duration unseenFor, int batchSize) throws SQLException {
        return orphans.run(
                dataSource,
                (parameters) ->
                        parameters.set("expiry_millis", unseenFor.toMillis()).set("limit", batchSize),
                (results) -> {
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
