package dev.outbox.internal.lane;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes due deliveries whose event is no longer in the database. No claim can take them, and they hold back the rest of their lane. */
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

    /** For a lane that another session has locked. A claim waits for this, and has deliveries to attempt. */
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    private static final Logger log = LoggerFactory.getLogger(LostEvents.class);

    private final DataSource dataSource;
    private final Pipeline find;
    private final Pipeline remove;

    LostEvents(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.find = new Pipeline(schema, FIND);
        this.remove = new Pipeline(schema, LONGEST_WAIT, LaneSql.changing(List.of(), REMOVE));
    }

    /** Looks at the lanes that a claim found due and could not take; the binder sets the parameters of that claim. A failure is left to the next claim. */
    void removeDeliveries(String stream, Pipeline.Binder claim) {
        try {
            List<DeliveryRef> lost = find.run(dataSource, claim, (results) -> results.list(DeliveryRef::read));
            if (!lost.isEmpty()) {
                remove.run(dataSource, (parameters) -> DeliveryRef.bind(parameters, lost));
                DeliveryRef first = lost.get(0);
                log.warn(
                        "Removed deliveries of stream {} whose events are no longer in the database: {}; the first is of {} {} to {}",
                        stream,
                        lost.size(),
                        first.aggregateType(),
                        first.aggregateId(),
                        first.handlerId());
            }
        } catch (SQLException ex) {
            log.debug(
                    "Could not remove deliveries of stream {} whose events are no longer in the database", stream, ex);
        }
    }
}
