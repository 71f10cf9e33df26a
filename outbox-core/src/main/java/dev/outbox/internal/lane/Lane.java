package dev.outbox.internal.lane;

import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.sql.NamedSql;
import java.sql.SQLException;
import java.util.Collection;

/** Identifies the ordered backlog of one handler for one aggregate. */
record Lane(String handlerId, String aggregateType, String aggregateId) {

    /** Returns the lane of a claimed delivery. */
    static Lane of(DueDelivery delivery) {
        return new Lane(
                delivery.handlerId(),
                delivery.envelope().aggregateType(),
                delivery.envelope().aggregateId());
    }

    /** Sets the lanes of the statements in {@link LaneSql}. */
    static NamedSql.Parameters bind(NamedSql.Parameters parameters, Collection<Lane> lanes) throws SQLException {
        return parameters
                .setTexts("lane_handlers", lanes, Lane::handlerId)
                .setTexts("lane_types", lanes, Lane::aggregateType)
                .setTexts("lane_ids", lanes, Lane::aggregateId);
    }
}
