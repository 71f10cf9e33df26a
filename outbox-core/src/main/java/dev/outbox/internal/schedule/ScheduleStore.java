package dev.outbox.internal.schedule;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.sql.LooseScan;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.ScheduledEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Moves, finds and changes scheduled events, under the locks of their aggregates' counters. */
final class ScheduleStore {

    /** Length of a stream's queue from which only a few overdue events follow. */
    private static final int FULL_QUEUE = 500;

    private static final int TRICKLE = 20;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    static final String MOVE = sql("move");

    private static final String NEXT =
            "WITH RECURSIVE " + LooseScan.of("streams", "outbox_scheduled", "d.stream", "true") + '\n' + sql("next");

    private final DataSource dataSource;
    private final Pipeline move;
    private final Pipeline findNext;
    private final Pipeline findOfAggregates;
    private final Pipeline deliverNow;
    private final Pipeline cancel;

    ScheduleStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.move = Pipeline.durable(schema, LONGEST_WAIT, Pipeline.IN_INDEX_ORDER, MOVE);
        this.findNext = new Pipeline(schema, Pipeline.INSPECT, NEXT);
        this.findOfAggregates = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, sql("of aggregates"));
        this.deliverNow = Pipeline.durable(schema, LONGEST_WAIT, sql("lock"), sql("deliver now"));
        this.cancel = Pipeline.durable(schema, LONGEST_WAIT, sql("lock"), sql("cancel"));
    }

    private static String sql(String result) {
        return NamedSql.of(ScheduleStore.class, "schedule.sql", result);
    }

    /** How many events of each stream were moved; the milliseconds until the next one is due, if any; and how many due events were looked at. */
    record Round(Map<String, Integer> moved, @Nullable Long millisToNext, long looked) {

        int events() {
            return moved.values().stream().mapToInt(Integer::intValue).sum();
        }

        Duration untilNext(Duration longest) {
            return millisToNext == null || millisToNext > longest.toMillis()
                    ? longest
                    : Duration.ofMillis(millisToNext);
        }
    }

    /** Moves a batch of due events into the queue, in a transaction that waits for no other; looks so many events deep in each stream. */
    Round move(Set<String> streams, int batch, int depth) throws SQLException {
        return move.run(
                dataSource,
                (parameters) -> parameters
                        .setTexts("streams", streams, (stream) -> stream)
                        .set("batch", batch)
                        .set("depth", depth)
                        .set("full_queue", FULL_QUEUE)
                        .set("trickle", TRICKLE),
                (results) -> {
                    Map<String, Integer> moved = new TreeMap<>();
                    Long millisToNext = null;
                    long looked = 0;
                    for (ResultSet row = results.rows(); row.next(); ) {
                        if (row.getString(1) == null) {
                            millisToNext = row.getObject(2, Long.class);
                            looked = row.getLong(3);
                        } else {
                            moved.put(row.getString(1), row.getInt(2));
                        }
                    }
                    return new Round(moved, millisToNext, looked);
                });
    }

    List<ScheduledEvent> findNext(int limit) throws SQLException {
        return findNext.run(
                dataSource,
                (parameters) -> parameters.set("limit", limit),
                (results) -> results.list(ScheduleStore::event));
    }

    List<ScheduledEvent> findOfAggregates(@Nullable String aggregateType, @Nullable String aggregateId, int limit)
            throws SQLException {
        return findOfAggregates.run(
                dataSource,
                (parameters) -> parameters
                        .set("aggregate_type", aggregateType)
                        .set("aggregate_id", aggregateId)
                        .set("limit", limit),
                (results) -> results.list(ScheduleStore::event));
    }

    boolean deliverNow(UUID eventId, AuditInfo audit) throws SQLException {
        return change(deliverNow, eventId, audit);
    }

    boolean cancel(UUID eventId, AuditInfo audit) throws SQLException {
        return change(cancel, eventId, audit);
    }

    private boolean change(Pipeline pipeline, UUID eventId, AuditInfo audit) throws SQLException {
        return pipeline.run(
                dataSource,
                (parameters) -> parameters
                        .set("event_id", eventId)
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) -> results.updated() > 0);
    }

    private static ScheduledEvent event(ResultSet row) throws SQLException {
        return new ScheduledEvent(
                row.getObject(1, UUID.class),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getObject(7, OffsetDateTime.class).toInstant());
    }
}
