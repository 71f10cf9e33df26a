package dev.outbox.operations.internal.operate;

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
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Finds and changes scheduled events, under the locks of their aggregates' counters. */
final class ScheduledEventStore {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private static final String NEXT =
            "WITH RECURSIVE " + LooseScan.of("streams", "outbox_scheduled", "d.stream", "true") + '\n' + sql("next");

    private final DataSource dataSource;
    private final Pipeline findNext;
    private final Pipeline findOfAggregates;
    private final Pipeline deliverNow;
    private final Pipeline cancel;

    ScheduledEventStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.findNext = new Pipeline(schema, Pipeline.INSPECT, NEXT);
        this.findOfAggregates = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, sql("of aggregates"));
        this.deliverNow = Pipeline.durable(schema, LONGEST_WAIT, sql("lock"), sql("deliver now"));
        this.cancel = Pipeline.durable(schema, LONGEST_WAIT, sql("lock"), sql("cancel"));
    }

    private static String sql(String result) {
        return NamedSql.of(ScheduledEventStore.class, "scheduled.sql", result);
    }

    List<ScheduledEvent> findNext(int limit) throws SQLException {
        return findNext.run(
                dataSource,
                (parameters) -> parameters.set("limit", limit),
                (results) -> results.list(ScheduledEventStore::event));
    }

    List<ScheduledEvent> findOfAggregates(@Nullable String aggregateType, @Nullable String aggregateId, int limit)
            throws SQLException {
        return findOfAggregates.run(
                dataSource,
                (parameters) -> parameters
                        .set("aggregate_type", aggregateType)
                        .set("aggregate_id", aggregateId)
                        .set("limit", limit),
                (results) -> results.list(ScheduledEventStore::event));
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
                row.getObject(7, OffsetDateTime.class).toInstant(),
                row.getString(8));
    }
}
