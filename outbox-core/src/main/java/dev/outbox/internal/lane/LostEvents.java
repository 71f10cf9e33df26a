package dev.outbox.internal.lane;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes due deliveries whose event somebody has deleted: no claim can take them, and their lanes would be due for ever. */
final class LostEvents {

    /** Relies on what a claim of lanes does, and on the primary keys of both partitions. */
    static final String FIND = """
            SELECT {delivery}
              FROM {handlers}
             CROSS JOIN LATERAL (SELECT l.aggregate_type, l.aggregate_id, l.handler_id, l.first_seq
                                   {lanes of handler}
                                    AND l.due_at < now()
                                  ORDER BY l.due_at
                                  LIMIT :batch_size) l
             CROSS JOIN LATERAL ({first}) d
             WHERE (SELECT o.id FROM {schema}.outbox o WHERE o.id = d.outbox_id LIMIT 1) IS NULL
            """.replace("{delivery}", DeliveryRef.COLUMNS)
            .replace("{handlers}", LaneSql.HANDLERS)
            .replace("{lanes of handler}", LaneSql.LANES_OF_HANDLER)
            .replace("{first}", LaneSql.FIRST);

    /** Relies on outbox_delivery_pk and the primary keys of both partitions. */
    private static final String REMOVE = """
            DELETE FROM {schema}.outbox_delivery d
             USING unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
             WHERE d.outbox_id = k.outbox_id
               AND d.handler_id = k.handler_id
               AND (SELECT o.id FROM {schema}.outbox o WHERE o.id = d.outbox_id LIMIT 1) IS NULL
            """;

    private static final Logger log = LoggerFactory.getLogger(LostEvents.class);

    private final DataSource dataSource;
    private final Pipeline find;
    private final Pipeline remove;

    LostEvents(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.find = new Pipeline(schema, FIND);
        this.remove = new Pipeline(schema, LaneSql.changing(List.of(), REMOVE));
    }

    /** Looks at the lanes of a claim that found due ones and could take no delivery; the binder sets the parameters of that claim. */
    void removeDeliveries(String stream, Pipeline.Binder claim) throws SQLException {
        List<DeliveryRef> lost = find.run(dataSource, claim, (results) -> results.list(DeliveryRef::read));
        if (lost.isEmpty()) {
            return;
        }
        remove.run(dataSource, (parameters) -> DeliveryRef.bind(parameters, lost), (results) -> 0);
        log.warn(
                "Removed {} deliveries in stream {}, because their events are no longer in the database; the first is of {} {} to {}",
                lost.size(),
                stream,
                lost.get(0).aggregateType(),
                lost.get(0).aggregateId(),
                lost.get(0).handlerId());
    }
}
