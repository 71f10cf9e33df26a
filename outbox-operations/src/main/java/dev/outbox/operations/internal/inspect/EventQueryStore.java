package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Count;
import dev.outbox.operations.EventDetails.Status;
import dev.outbox.operations.EventPage;
import dev.outbox.operations.EventSelection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Searches events, latest first. */
final class EventQueryStore {

    /** Events of an aggregate on the first page: the latest open ones by their index, however old they are. */
    private static final String OF_AGGREGATE = """
            o.aggregate_type = :aggregate_type
                           AND o.aggregate_id = :aggregate_id""";

    private static final String OF_ANY_AGGREGATE = """
            (:aggregate_type::text IS NULL OR o.aggregate_type = :aggregate_type)
                           AND (:aggregate_id::text IS NULL OR o.aggregate_id = :aggregate_id)""";

    private static final String OF_TRACE = "o.headers ->> 'traceId' = :trace_id";

    /** A search for another status reads nothing of a partition, whose part of the plan has a one-time filter. */
    private static final String IN_QUEUE = ":status::text IS DISTINCT FROM 'PUBLISHED'";

    private static final String IN_HISTORY = "coalesce(:status::text, 'PUBLISHED') = 'PUBLISHED'";

    private static final String SELECTED = """
            {of aggregate}
                           AND (:event_type::text IS NULL OR o.event_type = :event_type)
                           AND {of trace}
                           AND o.id < :before::bigint
                           AND {in partition}
                           AND (:status::text IS NULL OR o.status = :status)""";

    /** The smallest id that one search looks at, by the primary key of the partition; {@code NULL} if it looks at all. */
    private static final String BOUND = """
            (SELECT o.id
                                    FROM {schema}.{partition} o
                                   WHERE o.id < :before::bigint
                                     AND {in partition}
                                   ORDER BY o.id DESC
                                  OFFSET {most} - 1
                                   LIMIT 1)""";

    /** The same for the open events of an aggregate, by outbox_unpublished_aggregate. */
    private static final String BOUND_OF_AGGREGATE = """
            (SELECT o.id
                                    FROM {schema}.outbox_unpublished o
                                   WHERE o.aggregate_type = :aggregate_type
                                     AND o.aggregate_id = :aggregate_id
                                     AND {in partition}
                                   ORDER BY o.aggregate_seq DESC
                                  OFFSET {most} - 1
                                   LIMIT 1)""";

    /**
     * Relies on the primary keys of both partitions in descending order, or on outbox_unpublished_aggregate for the open events of one
     * aggregate. Reads the payload of no event, and headers only to search for a trace.
     */
    private static final String FIND = """
            WITH queue AS MATERIALIZED (
                SELECT {bound of queue} AS bound
            ), bound AS MATERIALIZED (
                SELECT greatest((SELECT queue.bound FROM queue),
                                {bound of history}) AS id
            )
            SELECT {event}, o.status, (SELECT bound.id FROM bound)
              FROM (VALUES (1)) AS always (one)
              LEFT JOIN (SELECT {event}, o.status
                           FROM ((SELECT {event}, o.status
                                    FROM {queue} o
                                   WHERE {selected in queue}
                                     AND o.id >= {from}
                                   ORDER BY o.id DESC
                                   LIMIT :limit)
                                  UNION ALL
                                 (SELECT {event}, o.status
                                    FROM {schema}.outbox_published o
                                   WHERE {selected in history}
                                     AND o.id >= (SELECT coalesce(bound.id, 0) FROM bound)
                                   ORDER BY o.id DESC
                                   LIMIT :limit)) o
                          ORDER BY o.id DESC
                          LIMIT :limit) o ON true
             ORDER BY o.id DESC NULLS LAST
            """;

    /** The latest open events of an aggregate: other criteria do not make the search read more of them. */
    private static final String QUEUE_OF_AGGREGATE = """
            (SELECT {event}, o.status{headers}
                                            FROM {schema}.outbox_unpublished o
                                           WHERE o.aggregate_type = :aggregate_type
                                             AND o.aggregate_id = :aggregate_id
                                           ORDER BY o.aggregate_seq DESC
                                           LIMIT {most})""";

    private static final String FROM = "(SELECT coalesce(bound.id, 0) FROM bound)";
    private static final String FROM_OF_AGGREGATE = "(SELECT coalesce(queue.bound, 0) FROM queue)";

    static final String ANY = sql(false, false);
    static final String ANY_OF_TRACE = sql(false, true);
    static final String AGGREGATE = sql(true, false);
    static final String AGGREGATE_OF_TRACE = sql(true, true);

    /** Reads outbox_aggregate_type whole; relies on outbox_aggregate_pk and outbox_unpublished_aggregate. */
    static final String TYPES = """
            SELECT t.aggregate_type
              FROM {schema}.outbox_aggregate_type t
             WHERE EXISTS (SELECT
                             FROM {schema}.outbox_aggregate a
                            WHERE a.aggregate_type = t.aggregate_type
                              AND a.aggregate_id = :aggregate_id)
                OR EXISTS (SELECT
                             FROM {schema}.outbox_unpublished o
                            WHERE o.aggregate_type = t.aggregate_type
                              AND o.aggregate_id = :aggregate_id)
             ORDER BY t.aggregate_type
             LIMIT 100
            """;

    private final DataSource dataSource;
    private final Pipeline types;
    private final Pipeline any;
    private final Pipeline anyOfTrace;
    private final Pipeline aggregate;
    private final Pipeline aggregateOfTrace;

    public EventQueryStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.types = new Pipeline(schema, Pipeline.INSPECT, TYPES);
        this.any = new Pipeline(schema, Pipeline.INSPECT, ANY);
        this.anyOfTrace = new Pipeline(schema, Pipeline.INSPECT, ANY_OF_TRACE);
        this.aggregate = new Pipeline(schema, Pipeline.INSPECT, AGGREGATE);
        this.aggregateOfTrace = new Pipeline(schema, Pipeline.INSPECT, AGGREGATE_OF_TRACE);
    }

    private static String sql(boolean ofAggregate, boolean ofTrace) {
        String boundOfQueue = ofAggregate ? BOUND_OF_AGGREGATE : BOUND.replace("{partition}", "outbox_unpublished");
        String boundOfHistory = BOUND.replace("{partition}", "outbox_published");
        return FIND.replace("{bound of queue}", boundOfQueue.replace("{in partition}", IN_QUEUE))
                .replace("{bound of history}", boundOfHistory.replace("{in partition}", IN_HISTORY))
                .replace("{selected in queue}", SELECTED.replace("{in partition}", IN_QUEUE))
                .replace("{selected in history}", SELECTED.replace("{in partition}", IN_HISTORY))
                .replace("{of aggregate}", ofAggregate ? OF_AGGREGATE : OF_ANY_AGGREGATE)
                .replace("{of trace}", ofTrace ? OF_TRACE : "true")
                .replace("{from}", ofAggregate ? FROM_OF_AGGREGATE : FROM)
                .replace("{queue}", ofAggregate ? QUEUE_OF_AGGREGATE : "{schema}.outbox_unpublished")
                .replace("{headers}", ofTrace ? ", o.headers" : "")
                .replace("{event}", DeliveryRow.EVENT_COLUMNS)
                .replace("{most}", Integer.toString(Count.MOST));
    }

    /** Finds the types of the aggregates that have an id. */
    List<String> aggregateTypes(String aggregateId) throws SQLException {
        return types.run(
                dataSource,
                (parameters) -> parameters.set("aggregate_id", aggregateId),
                (results) -> results.list((row) -> row.getString(1)));
    }

    /** Searches the latest events before a place. */
    public EventPage find(EventSelection selection, int limit) throws SQLException {
        boolean ofAggregate =
                selection.aggregateType() != null && selection.aggregateId() != null && selection.before() == null;
        boolean ofTrace = selection.traceId() != null;
        Status status = selection.status();
        Pipeline pipeline = ofAggregate ? (ofTrace ? aggregateOfTrace : aggregate) : (ofTrace ? anyOfTrace : any);
        return pipeline.run(
                dataSource,
                (parameters) -> {
                    parameters
                            .set("aggregate_type", selection.aggregateType())
                            .set("aggregate_id", selection.aggregateId())
                            .set("event_type", selection.eventType())
                            .set("status", status == null ? null : status.name())
                            .set("before", selection.before() == null ? Long.MAX_VALUE : selection.before())
                            .set("limit", limit);
                    if (ofTrace) {
                        parameters.set("trace_id", selection.traceId());
                    }
                },
                (results) -> page(results.rows(), limit));
    }

    private static EventPage page(ResultSet row, int limit) throws SQLException {
        List<EventPage.Entry> found = new ArrayList<>();
        Long bound = null;
        while (row.next()) {
            bound = row.getObject(DeliveryRow.AFTER_EVENT + 1, Long.class);
            if (row.getString(1) != null) {
                found.add(new EventPage.Entry(
                        DeliveryRow.event(row), Status.valueOf(row.getString(DeliveryRow.AFTER_EVENT))));
            }
        }
        return new EventPage(found, next(found, bound, limit));
    }

    /** An open event of the aggregate may lie before the bound; the next page begins at the bound all the same. */
    private static @Nullable Long next(List<EventPage.Entry> found, @Nullable Long bound, int limit) {
        if (found.size() < limit) {
            return bound;
        }
        long last = found.get(found.size() - 1).event().id();
        return bound == null ? last : Long.valueOf(Math.max(last, bound));
    }
}
