package dev.outbox.internal.store;

import dev.outbox.internal.delivery.DeliveryKey;
import java.sql.SQLException;
import java.util.List;

/** A delivery that an operator may mean. */
public record DeliveryRef(DeliveryKey key, String stream, String aggregateType, String aggregateId, long aggregateSeq) {

    static NamedSql.Parameters bindKeys(NamedSql.Parameters parameters, List<DeliveryRef> batch) throws SQLException {
        return parameters.add(ids(batch), handlerIds(batch));
    }

    static NamedSql.Parameters bindLanes(NamedSql.Parameters parameters, List<DeliveryRef> batch) throws SQLException {
        return parameters.add(
                SettlementStore.texts(batch, DeliveryRef::aggregateType),
                SettlementStore.texts(batch, DeliveryRef::aggregateId),
                handlerIds(batch));
    }

    static long[] ids(List<DeliveryRef> batch) {
        return SettlementStore.longs(batch, (one) -> one.key().outboxId());
    }

    private static String[] handlerIds(List<DeliveryRef> batch) {
        return SettlementStore.texts(batch, (one) -> one.key().handlerId());
    }
}
