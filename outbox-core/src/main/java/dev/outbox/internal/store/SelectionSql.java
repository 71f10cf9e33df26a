package dev.outbox.internal.store;

import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** Which deliveries an operator means, as a condition on a table alias {@code d}. */
final class SelectionSql {

    /**
     * To be planned with the values at hand, so that only what is asked for is left of it. Then it can rely on outbox_delivery_pk for
     * an event and for pages, on outbox_delivery_dead, and, for a lane, on outbox_delivery_lane_head, outbox_delivery_lane_waiting and
     * outbox_delivery_lane_dead: hence the head where it is due, and the array, which an index can be searched for.
     */
    static final String SELECTED = """
            (:handler_id::text IS NULL OR d.handler_id = :handler_id)
                                     AND (:aggregate_type::text IS NULL OR d.aggregate_type = :aggregate_type)
                                     AND (:aggregate_id::text IS NULL OR d.aggregate_id = :aggregate_id)
                                     AND (:event_id::uuid IS NULL
                                          OR d.outbox_id = ANY (ARRAY(SELECT o.id FROM {schema}.outbox o WHERE o.event_id = :event_id)))
                                     AND (:stream::text IS NULL OR d.stream = :stream)
                                     AND (:event_type::text IS NULL OR d.event_type = :event_type)
                                     AND (:error_code::text IS NULL OR d.last_error_code = :error_code)
                                     AND (:since::timestamptz IS NULL OR d.created_at >= :since)
                                     AND (:before::timestamptz IS NULL OR d.created_at < :before)
                                     AND (:due AND d.status = 'DUE' AND d.head
                                          OR :waiting AND d.status = 'WAITING'
                                          OR :dead AND d.status = 'DEAD')
                                     AND (:after_id::bigint IS NULL OR (d.outbox_id, d.handler_id) > (:after_id, :after_handler_id))""";

    /** Precedes each statement on a selection, which no index may serve: it is planned with its values, and ends after 5 s. */
    static final String PLAN_WITH_VALUES = """
            SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
                   set_config('statement_timeout', '5s', true)
            """;

    private SelectionSql() {}

    static NamedSql.Parameters bind(NamedSql.Parameters parameters, DeliverySelection selection) throws SQLException {
        DeliverySelection.Lane lane = selection.lane();
        DeliverySelection.Events event = selection.event();
        DeliverySelection.Place after = selection.after();
        return parameters
                .set("handler_id", lane.handlerId())
                .set("aggregate_type", lane.aggregateType())
                .set("aggregate_id", lane.aggregateId())
                .set("event_id", event.eventId())
                .set("stream", event.stream())
                .set("event_type", event.type())
                .set("error_code", event.errorCode())
                .set("since", utc(selection.created().since()))
                .set("before", utc(selection.created().before()))
                .set("due", selection.statuses().contains(DeliveryStatus.DUE))
                .set("waiting", selection.statuses().contains(DeliveryStatus.WAITING))
                .set("dead", selection.statuses().contains(DeliveryStatus.DEAD))
                .set("after_id", after == null ? null : after.id())
                .set("after_handler_id", after == null ? null : after.handlerId());
    }

    static @Nullable OffsetDateTime utc(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }
}
