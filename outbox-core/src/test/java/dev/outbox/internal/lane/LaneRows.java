package dev.outbox.internal.lane;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Gives a lane the row that the outbox would, for tests that store deliveries themselves. */
public final class LaneRows {

    private LaneRows() {}

    /** Adds the rows of the lanes of all deliveries. */
    public static void addMissing(JdbcClient sql) {
        sql.sql("""
                        INSERT INTO events.outbox_lane (aggregate_type, aggregate_id, handler_id, stream, first_seq, due_at)
                        SELECT DISTINCT ON (aggregate_type, aggregate_id, handler_id)
                               aggregate_type, aggregate_id, handler_id, stream, aggregate_seq, next_retry_at
                          FROM events.outbox_delivery
                         WHERE status <> 'DEAD'
                         ORDER BY aggregate_type, aggregate_id, handler_id, aggregate_seq
                        ON CONFLICT DO NOTHING
                        """).update();
    }

    /** Ends a transaction as every change of deliveries does. */
    public static void refresh(DataSource dataSource, String handlerId, String aggregateType, String aggregateId) {
        Pipeline pipeline = new Pipeline(OutboxSchema.DEFAULT, LaneSql.LOCK_LANES, LaneSql.REFRESH);
        try {
            pipeline.run(
                    dataSource,
                    (parameters) -> Lane.bind(parameters, List.of(new Lane(handlerId, aggregateType, aggregateId))));
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
