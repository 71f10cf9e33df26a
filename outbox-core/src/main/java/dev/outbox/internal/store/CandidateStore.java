package dev.outbox.internal.store;

import dev.outbox.internal.delivery.DeliveryKey;
import dev.outbox.operations.DeliverySelection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Finds the deliveries of an operation, batch by batch, without locking any. */
public final class CandidateStore {

    /** Relies on outbox_delivery_pk. */
    private static final String NEWEST = """
            SELECT coalesce(max(d.outbox_id), 0)
              FROM {schema}.outbox_delivery d
            """;

    /** Relies on what {@link SelectionSql#SELECTED} does. */
    private static final String FIND = """
            SELECT d.outbox_id, d.handler_id, d.stream, d.aggregate_type, d.aggregate_id, d.aggregate_seq
              FROM {schema}.outbox_delivery d
             WHERE {selected}
               AND ({eligible})
               AND d.outbox_id <= :newest
             ORDER BY d.outbox_id, d.handler_id
             LIMIT :limit
            """;

    /** Whether a retry would change anything of a delivery {@code d}. */
    static final String RETRYABLE = """
            d.status = 'DEAD' OR d.retry_count > 0 OR d.crash_count > 0
                    OR d.next_retry_at > clock_timestamp() OR d.locked_until < clock_timestamp()""";

    private final DataSource dataSource;
    private final Pipeline newest;
    private final Pipeline findRetryable;
    private final Pipeline find;

    /** Creates a store. */
    public CandidateStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.newest = new Pipeline(schema, NEWEST);
        this.findRetryable = pipeline(schema, RETRYABLE);
        this.find = pipeline(schema, "true");
    }

    private static Pipeline pipeline(OutboxSchema schema, String eligible) {
        String sql = FIND.replace("{selected}", SelectionSql.SELECTED).replace("{eligible}", eligible);
        return new Pipeline(schema, SelectionSql.PLAN_WITH_VALUES, sql);
    }

    /** Returns the place behind which there is no delivery yet, so that an operation ends although deliveries keep coming. */
    public long newest() throws SQLException {
        return newest.run(dataSource, (parameters) -> {}, (results) -> {
            ResultSet row = results.rows();
            row.next();
            return row.getLong(1);
        });
    }

    /** Finds deliveries that a retry would change. */
    public List<DeliveryRef> findRetryable(DeliverySelection selection, long newest, int limit) throws SQLException {
        return find(findRetryable, selection, newest, limit);
    }

    /** Finds deliveries. */
    public List<DeliveryRef> find(DeliverySelection selection, long newest, int limit) throws SQLException {
        return find(find, selection, newest, limit);
    }

    private List<DeliveryRef> find(Pipeline pipeline, DeliverySelection selection, long newest, int limit)
            throws SQLException {
        return pipeline.run(
                dataSource,
                (parameters) -> SelectionSql.bind(parameters, selection)
                        .set("newest", newest)
                        .set("limit", limit),
                (results) -> {
                    results.skip(1);
                    List<DeliveryRef> candidates = new ArrayList<>();
                    ResultSet row = results.rows();
                    while (row.next()) {
                        candidates.add(new DeliveryRef(
                                new DeliveryKey(row.getLong(1), row.getString(2)),
                                row.getString(3),
                                row.getString(4),
                                row.getString(5),
                                row.getLong(6)));
                    }
                    return candidates;
                });
    }
}
