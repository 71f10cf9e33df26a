package dev.outbox.internal.store;

import dev.outbox.internal.delivery.DeliveryKey;
import java.sql.SQLException;
import java.util.List;

/** A delivery that an operator may mean. */
public record DeliveryRef(DeliveryKey key, String stream, String aggregateType, String aggregateId, long aggregateSeq) {

    /** Sets the parameters of {@link LaneSql}, which also identify the deliveries. */
    static NamedSql.Parameters bind(NamedSql.Parameters parameters, List<DeliveryRef> batch) throws SQLException {
        return parameters
                .setLongs("events", batch, (one) -> one.key().outboxId())
                .setTexts("lane_handlers", batch, (one) -> one.key().handlerId())
                .setTexts("lane_types", batch, DeliveryRef::aggregateType)
                .setTexts("lane_ids", batch, DeliveryRef::aggregateId);
    }
}
