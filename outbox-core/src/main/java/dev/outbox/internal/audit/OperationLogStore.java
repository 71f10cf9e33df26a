package dev.outbox.internal.audit;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** Finds the records of operations, which are written in the transactions that they describe. */
public final class OperationLogStore {

    private static final String SELECT = """
            SELECT p.id, p.performed_at, p.performed_by, p.action, p.reason, p.stream, p.handler_id, p.event_id,
                   CASE p.previous_status WHEN 'BLOCKING' THEN 'DEAD' ELSE p.previous_status END, p.last_error_code, p.last_error
            """;

    /** Relies on outbox_operation_event: without OFFSET, the planner may read the primary key backwards. */
    public static final String OF_EVENT = SELECT + """
              FROM (SELECT * FROM {schema}.outbox_operation p WHERE p.event_id = :event_id OFFSET 0) p
             ORDER BY p.id DESC
             LIMIT 100
            """;

    /** Relies on outbox_operation_pk, outbox_operation_event and outbox_operation_handler. */
    private static final String FIND = SELECT + """
              FROM {schema}.outbox_operation p
             WHERE (:event_id::uuid IS NULL OR p.event_id = :event_id)
               AND (:handler_id::text IS NULL OR p.handler_id = :handler_id)
               AND (:performed_by::text IS NULL OR p.performed_by = :performed_by)
               AND (:since::timestamptz IS NULL OR p.performed_at >= :since)
               AND (:before::timestamptz IS NULL OR p.performed_at < :before)
               AND (:older_than::bigint IS NULL OR p.id < :older_than)
             ORDER BY p.id DESC
             LIMIT :limit
            """;

    private final DataSource dataSource;
    private final Pipeline find;

    public OperationLogStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.find = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, FIND);
    }

    /** Finds operations, the latest first. */
    public List<Operation> find(OperationSelection selection, int limit) throws SQLException {
        return find.run(
                dataSource,
                (parameters) -> parameters
                        .set("event_id", selection.eventId())
                        .set("handler_id", selection.handlerId())
                        .set("performed_by", selection.performedBy())
                        .set("since", selection.since())
                        .set("before", selection.before())
                        .set("older_than", selection.olderThan())
                        .set("limit", limit),
                (results) -> results.list(OperationLogStore::read));
    }

    /** Reads a row of {@link #OF_EVENT}. */
    public static Operation read(ResultSet row) throws SQLException {
        String status = row.getString(9);
        String code = row.getString(10);
        return new Operation(
                row.getLong(1),
                row.getObject(2, OffsetDateTime.class).toInstant(),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                new Operation.Subject(
                        row.getString(6),
                        row.getString(7),
                        row.getObject(8, UUID.class),
                        status == null ? null : DeliveryStatus.valueOf(status),
                        code == null ? null : new Delivery.Failure(code, row.getString(11))));
    }
}
