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
            (?::text IS NULL OR d.handler_id = ?)
                                     AND (?::text IS NULL OR d.aggregate_type = ?)
                                     AND (?::text IS NULL OR d.aggregate_id = ?)
                                     AND (?::uuid IS NULL
                                          OR d.outbox_id = ANY (ARRAY(SELECT o.id FROM {schema}.outbox o WHERE o.event_id = ?)))
                                     AND (?::text IS NULL OR d.stream = ?)
                                     AND (?::text IS NULL OR d.event_type = ?)
                                     AND (?::text IS NULL OR d.last_error_code = ?)
                                     AND (?::timestamptz IS NULL OR d.created_at >= ?)
                                     AND (?::timestamptz IS NULL OR d.created_at < ?)
                                     AND (? AND d.status = 'DUE' AND d.head
                                          OR ? AND d.status = 'WAITING'
                                          OR ? AND d.status = 'DEAD')
                                     AND (?::bigint IS NULL OR (d.outbox_id, d.handler_id) > (?, ?))""";

    /** Precedes each statement on a selection, which no index may serve: it is planned with its values, and ends after 5 s. */
    static final String PLAN_WITH_VALUES = """
            SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
                   set_config('statement_timeout', '5s', true)
            """;

    private SelectionSql() {}

    static NamedSql.Parameters bind(NamedSql.Parameters parameters, DeliverySelection selection) throws SQLException {
        DeliverySelection.Lane lane = selection.lane();
        DeliverySelection.Events event = selection.event();
        OffsetDateTime since = utc(selection.created().since());
        OffsetDateTime before = utc(selection.created().before());
        DeliverySelection.Place after = selection.after();
        Long id = after == null ? null : after.id();
        return parameters
                .add(lane.handlerId(), lane.handlerId())
                .add(lane.aggregateType(), lane.aggregateType())
                .add(lane.aggregateId(), lane.aggregateId())
                .add(event.eventId(), event.eventId())
                .add(event.stream(), event.stream())
                .add(event.type(), event.type())
                .add(event.errorCode(), event.errorCode())
                .add(since, since)
                .add(before, before)
                .add(selection.statuses().contains(DeliveryStatus.DUE))
                .add(selection.statuses().contains(DeliveryStatus.WAITING))
                .add(selection.statuses().contains(DeliveryStatus.DEAD))
                .add(id, id, after == null ? null : after.handlerId());
    }

    static @Nullable OffsetDateTime utc(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }
}
