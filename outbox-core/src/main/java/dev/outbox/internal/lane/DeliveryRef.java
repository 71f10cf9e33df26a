package dev.outbox.internal.lane;

import dev.outbox.internal.sql.NamedSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Identifies a delivery, its stream and its lane. */
public record DeliveryRef(long outboxId, String handlerId, String stream, String aggregateType, String aggregateId) {

    /** What {@link #read} reads of a delivery {@code d}. */
    public static final String COLUMNS = "d.outbox_id, d.handler_id, d.stream, d.aggregate_type, d.aggregate_id";

    /** Sets the parameters of {@link LaneSql}, which also identify the deliveries. */
    public static NamedSql.Parameters bind(NamedSql.Parameters parameters, List<DeliveryRef> batch)
            throws SQLException {
        return bindLanes(parameters.setLongs("events", batch, DeliveryRef::outboxId), batch);
    }

    /** Sets the lanes only. */
    public static NamedSql.Parameters bindLanes(NamedSql.Parameters parameters, List<DeliveryRef> batch)
            throws SQLException {
        return parameters
                .setTexts("lane_handlers", batch, DeliveryRef::handlerId)
                .setTexts("lane_types", batch, DeliveryRef::aggregateType)
                .setTexts("lane_ids", batch, DeliveryRef::aggregateId);
    }

    /** Returns the streams of deliveries. */
    public static Set<String> streams(List<DeliveryRef> batch) {
        return batch.stream().map(DeliveryRef::stream).collect(Collectors.toSet());
    }

    public static DeliveryRef read(ResultSet row) throws SQLException {
        return new DeliveryRef(row.getLong(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5));
    }
}
