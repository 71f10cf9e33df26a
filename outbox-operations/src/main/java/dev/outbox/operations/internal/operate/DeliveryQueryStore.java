package dev.outbox.operations.internal.operate;

import dev.outbox.internal.lane.DeliveryRef;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Count;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.internal.inspect.DeliveryRow;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Finds and counts the deliveries that an operator selects, without locking any. */
final class DeliveryQueryStore {

    /**
     * Planned with its values, so that only what is asked for is left of it. Relies on outbox_delivery_pk for events and for pages, on
     * outbox_delivery_dead, and for a lane on outbox_delivery_lane and outbox_delivery_lane_dead: hence each status by itself, and the
     * array, which an index can be searched for.
     */
    private static final String SELECTED = """
            (:handler_id::text IS NULL OR d.handler_id = :handler_id)
                           AND (:aggregate_type::text IS NULL OR d.aggregate_type = :aggregate_type)
                           AND (:aggregate_id::text IS NULL OR d.aggregate_id = :aggregate_id)
                           AND (:event_ids::uuid[] IS NULL
                                OR d.outbox_id = ANY (ARRAY(SELECT o.id
                                                               FROM {schema}.outbox o
                                                              WHERE o.event_id = ANY (:event_ids::uuid[]))))
                           AND (:stream::text IS NULL OR d.stream = :stream)
                           AND (:event_type::text IS NULL OR d.event_type = :event_type)
                           AND (:error_code::text IS NULL OR d.last_error_code = :error_code
                                OR :retried_by::bigint IS NOT NULL AND d.retry_id = :retried_by)
                           AND (:since::timestamptz IS NULL OR d.created_at >= :since)
                           AND (:before::timestamptz IS NULL OR d.created_at < :before)
                           AND (:open AND d.status = 'OPEN' OR :dead AND d.status = 'BLOCKING' OR :dead AND d.status = 'DEAD')
                           AND (:after_id::bigint IS NULL OR (d.outbox_id, d.handler_id) > (:after_id, :after_handler_id))""";

    /** Relies on what {@link #SELECTED} does. */
    private static final String FIND =
            DeliveryRow.select("""
                    SELECT d.*
                      FROM {schema}.outbox_delivery d
                     WHERE {selected}
                     ORDER BY d.outbox_id, d.handler_id
                     LIMIT :limit""".replace("{selected}", SELECTED)) + " ORDER BY d.outbox_id, d.handler_id";

    private static final String COUNT =
            """
            SELECT count(*)
              FROM (SELECT
                      FROM {schema}.outbox_delivery d
                     WHERE {selected}
                     LIMIT {most}) d
            """.replace("{selected}", SELECTED).replace("{most}", Integer.toString(Count.MOST));

    /** Relies on outbox_delivery_pk. */
    private static final String NEWEST = """
            SELECT coalesce(max(d.outbox_id), 0)
              FROM {schema}.outbox_delivery d
            """;

    /** Relies on outbox_delivery_pk, or outbox_delivery_dead, in their order: finds where a window of deliveries ends. */
    static final String REACH = """
            SELECT least(:newest::bigint,
                         (SELECT d.outbox_id
                            FROM {schema}.outbox_delivery d
                           WHERE d.outbox_id > :after_id
                             AND (:open OR d.status <> 'OPEN')
                           ORDER BY d.outbox_id
                          OFFSET {window}
                           LIMIT 1))
            """.replace("{window}", "10000");

    /** Relies on what {@link #SELECTED} does. */
    static final String FIND_CHANGEABLE = """
            SELECT {key}
              FROM {schema}.outbox_delivery d
             WHERE {selected}
               AND {changes}
               AND d.outbox_id <= :newest
               AND {untouched}
             ORDER BY d.outbox_id, d.handler_id
             LIMIT :limit
            """.replace("{key}", DeliveryRef.COLUMNS)
            .replace("{selected}", SELECTED)
            .replace("{changes}", OperationStore.CHANGES)
            .replace("{untouched}", OperationStore.UNTOUCHED);

    /** Relies on what {@link #SELECTED} does. Has no bound but time: the bulk that it is for changes as many. */
    private static final String COUNT_CHANGEABLE =
            """
            SELECT count(*)
              FROM {schema}.outbox_delivery d
             WHERE {selected}
               AND {changes}
            """.replace("{selected}", SELECTED).replace("{changes}", OperationStore.CHANGES);

    private static final String SHORT = "SELECT set_config('statement_timeout', '2s', true)";

    private final DataSource dataSource;
    private final Pipeline find;
    private final Pipeline count;
    private final Pipeline newest;
    private final Pipeline reach;
    private final Pipeline findChangeable;
    private final Pipeline countChangeable;

    public DeliveryQueryStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.find = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, FIND);
        this.count = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, COUNT);
        this.newest = new Pipeline(schema, NEWEST);
        this.reach = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, Pipeline.IN_INDEX_ORDER, REACH);
        this.findChangeable = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, FIND_CHANGEABLE);
        this.countChangeable = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, SHORT, COUNT_CHANGEABLE);
    }

    /** Finds deliveries, those of the oldest events first. */
    public List<Delivery> find(DeliverySelection selection, int limit) throws SQLException {
        return find.run(
                dataSource,
                (parameters) -> bind(parameters, selection).set("limit", limit),
                (results) -> results.list(DeliveryRow::read));
    }

    /** Counts deliveries. */
    public Count count(DeliverySelection selection) throws SQLException {
        return count.run(
                dataSource,
                (parameters) -> bind(parameters, selection),
                (results) -> Count.upTo(results.row().getLong(1), Count.MOST));
    }

    /** Returns the last event that has a delivery, so that an operation ends although new deliveries arrive. */
    public long newest() throws SQLException {
        return newest.run(
                dataSource, (parameters) -> {}, (results) -> results.row().getLong(1));
    }

    /** Returns the event up to which a bulk looks at deliveries at once, however few of them it changes. */
    public long reach(DeliverySelection selection, long afterId, long newest) throws SQLException {
        return reach.run(
                dataSource,
                (parameters) -> parameters
                        .set("open", selection.statuses().contains(DeliveryStatus.OPEN))
                        .set("after_id", afterId)
                        .set("newest", newest),
                (results) -> results.row().getLong(1));
    }

    /** Finds deliveries that an action would change, those of the oldest events first. */
    public List<DeliveryRef> find(
            DeliverySelection selection,
            OperationStore.Action action,
            long newest,
            @Nullable Instant startedAt,
            int limit)
            throws SQLException {
        return findChangeable.run(
                dataSource,
                (parameters) -> bind(parameters, selection)
                        .set("action", action.name())
                        .set("newest", newest)
                        .set("started_at", startedAt)
                        .set("limit", limit),
                (results) -> results.list(DeliveryRef::read));
    }

    /** Counts deliveries that an action would change. */
    public long countChangeable(DeliverySelection selection, OperationStore.Action action) throws SQLException {
        return countChangeable.run(
                dataSource,
                (parameters) -> bind(parameters, selection).set("action", action.name()),
                (results) -> results.row().getLong(1));
    }

    private static NamedSql.Parameters bind(NamedSql.Parameters parameters, DeliverySelection selection)
            throws SQLException {
        DeliverySelection.Place after = selection.range().after();
        Set<UUID> events = selection.eventIds();
        return parameters
                .set("handler_id", selection.handlerId())
                .set("aggregate_type", selection.aggregateType())
                .set("aggregate_id", selection.aggregateId())
                .set(
                        "event_ids",
                        events.isEmpty()
                                ? null
                                : events.stream().map(UUID::toString).toArray(String[]::new))
                .set("stream", selection.stream())
                .set("event_type", selection.eventType())
                .set("error_code", selection.errorCode())
                .set("retried_by", selection.retriedBy())
                .set("since", selection.range().since())
                .set("before", selection.range().before())
                .set("open", selection.statuses().contains(DeliveryStatus.OPEN))
                .set("dead", selection.statuses().contains(DeliveryStatus.DEAD))
                .set("after_id", after == null ? null : after.id())
                .set("after_handler_id", after == null ? null : after.handlerId());
    }
}
