package dev.outbox.store;

import java.sql.SQLException;
import java.util.List;

/**
 * A delivery that an operator may mean.
 *
 * @param key the delivery
 * @param stream the stream of its event
 * @param aggregateType the kind of entity
 * @param aggregateId the entity
 * @param aggregateSeq the event's number within the aggregate
 */
public record Candidate(DeliveryKey key, String stream, String aggregateType, String aggregateId, long aggregateSeq) {

    static Pipeline.Parameters bindKeys(Pipeline.Parameters parameters, List<Candidate> batch) throws SQLException {
        return parameters.add(ids(batch), handlerIds(batch));
    }

    static Pipeline.Parameters bindLanes(Pipeline.Parameters parameters, List<Candidate> batch) throws SQLException {
        return parameters.add(
                SettleStore.texts(batch, Candidate::aggregateType),
                SettleStore.texts(batch, Candidate::aggregateId),
                handlerIds(batch));
    }

    static long[] ids(List<Candidate> batch) {
        return SettleStore.longs(batch, (one) -> one.key().outboxId());
    }

    private static String[] handlerIds(List<Candidate> batch) {
        return SettleStore.texts(batch, (one) -> one.key().handlerId());
    }
}
