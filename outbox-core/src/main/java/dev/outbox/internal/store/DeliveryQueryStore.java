package dev.outbox.internal.store;

import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Finds deliveries that have left the fast lane and are not done. */
public final class DeliveryQueryStore {

    /** Relies on what {@link SelectionSql#SELECTED} does, and on the primary keys of both partitions: an event may be in history. */
    private static final String FIND = """
            SELECT o.id, o.event_id, o.stream, o.event_type, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.occurred_at,
                   d.handler_id, d.status, d.head, d.replay_id IS NOT NULL, d.created_at, d.next_retry_at,
                   d.attempt_count, d.retry_count, d.crash_count, d.last_attempt_at, d.last_error_code, d.last_error,
                   d.locked_by, d.locked_until
              FROM (SELECT d.outbox_id, d.handler_id, d.status, d.head, d.replay_id, d.created_at, d.next_retry_at,
                           d.attempt_count, d.retry_count, d.crash_count, d.last_attempt_at, d.last_error_code, d.last_error,
                           d.locked_by, d.locked_until
                      FROM {schema}.outbox_delivery d
                     WHERE {selected}
                     ORDER BY d.outbox_id, d.handler_id
                     LIMIT :limit) d
              JOIN {schema}.outbox o ON o.id = d.outbox_id
             ORDER BY d.outbox_id, d.handler_id
            """;

    private static final String COUNT = """
            SELECT count(*)
              FROM {schema}.outbox_delivery d
             WHERE {selected}
            """;

    private final DataSource dataSource;
    private final Pipeline find;
    private final Pipeline count;

    /** Creates a store. */
    public DeliveryQueryStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.find = new Pipeline(schema, SelectionSql.PLAN_WITH_VALUES, selecting(FIND));
        this.count = new Pipeline(schema, SelectionSql.PLAN_WITH_VALUES, selecting(COUNT));
    }

    private static String selecting(String sql) {
        return sql.replace("{selected}", SelectionSql.SELECTED);
    }

    /** Finds deliveries, those of the oldest events first. */
    public List<Delivery> find(DeliverySelection selection, int limit) throws SQLException {
        return find.run(
                dataSource,
                (parameters) -> SelectionSql.bind(parameters, selection).set("limit", limit),
                (results) -> {
                    results.skip(1);
                    List<Delivery> deliveries = new ArrayList<>();
                    ResultSet row = results.rows();
                    while (row.next()) {
                        deliveries.add(delivery(row));
                    }
                    return deliveries;
                });
    }

    /** Counts deliveries. */
    public long count(DeliverySelection selection) throws SQLException {
        return count.run(dataSource, (parameters) -> SelectionSql.bind(parameters, selection), (results) -> {
            results.skip(1);
            ResultSet row = results.rows();
            row.next();
            return row.getLong(1);
        });
    }

    private static Delivery delivery(ResultSet row) throws SQLException {
        String code = row.getString(19);
        String worker = row.getString(21);
        Instant leaseEnds = instant(row, 22);
        return new Delivery(
                new Delivery.Event(
                        row.getLong(1),
                        row.getObject(2, UUID.class),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5),
                        row.getString(6),
                        row.getLong(7),
                        row.getObject(8, OffsetDateTime.class).toInstant()),
                row.getString(9),
                new Delivery.State(
                        DeliveryStatus.valueOf(row.getString(10)),
                        row.getBoolean(11),
                        row.getBoolean(12),
                        row.getObject(13, OffsetDateTime.class).toInstant(),
                        instant(row, 14)),
                new Delivery.Attempts(
                        row.getInt(15),
                        row.getInt(16),
                        row.getInt(17),
                        instant(row, 18),
                        code == null ? null : new Delivery.Failure(code, row.getString(20))),
                worker == null || leaseEnds == null ? null : new Delivery.Lease(worker, leaseEnds));
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
