package dev.outbox.internal.store;

import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** Finds what operators did. It was written in the transactions that did it. */
public final class OperationLogStore {

    /** Relies on outbox_operation_pk, outbox_operation_event and outbox_operation_handler. */
    private static final String FIND = """
            SELECT p.id, p.performed_at, p.performed_by, p.action, p.reason, p.stream, p.handler_id, p.event_id,
                   p.previous_status, p.last_error_code, p.last_error
              FROM {schema}.outbox_operation p
             WHERE (?::uuid IS NULL OR p.event_id = ?)
               AND (?::text IS NULL OR p.handler_id = ?)
               AND (?::text IS NULL OR p.performed_by = ?)
               AND (?::timestamptz IS NULL OR p.performed_at >= ?)
               AND (?::timestamptz IS NULL OR p.performed_at < ?)
               AND (?::bigint IS NULL OR p.id < ?)
             ORDER BY p.id DESC
             LIMIT ?
            """;

    private final DataSource dataSource;
    private final Pipeline find;

    /** Creates a store. */
    public OperationLogStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.find = new Pipeline(schema, SelectionSql.PLAN_WITH_VALUES, FIND);
    }

    /** Finds operations, the latest first. */
    public List<Operation> find(OperationSelection selection, int limit) throws SQLException {
        OffsetDateTime since = SelectionSql.utc(selection.performed().since());
        OffsetDateTime before = SelectionSql.utc(selection.performed().before());
        return find.run(
                dataSource,
                (parameters) -> parameters
                        .add(selection.eventId(), selection.eventId())
                        .add(selection.handlerId(), selection.handlerId())
                        .add(selection.performedBy(), selection.performedBy())
                        .add(since, since)
                        .add(before, before)
                        .add(selection.olderThan(), selection.olderThan())
                        .add(limit),
                (results) -> {
                    results.skip(1);
                    List<Operation> operations = new ArrayList<>();
                    ResultSet row = results.rows();
                    while (row.next()) {
                        operations.add(operation(row));
                    }
                    return operations;
                });
    }

    private static Operation operation(ResultSet row) throws SQLException {
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
