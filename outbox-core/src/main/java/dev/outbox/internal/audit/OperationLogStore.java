package dev.outbox.internal.audit;

import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxInspector;
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
    private static final String SELECTED = """
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

    private static final String FIND = SELECT + SELECTED;

    /**
     * Relies on what {@link #SELECTED} does. A command commits in transactions of its own, a second apart at most: entries of the same
     * change in a row are one command.
     */
    private static final String COMMANDS = SELECT + """
                 , command.entries, command.oldest, command.since
              FROM (SELECT max(n.id) AS latest, min(n.id) AS oldest, count(*) AS entries, min(n.performed_at) AS since
                      FROM (SELECT f.id, f.performed_at, count(*) FILTER (WHERE f.first) OVER (ORDER BY f.id DESC) AS number
                              FROM (SELECT e.id, e.performed_at,
                                           (e.change = lag(e.change) OVER latest
                                            AND lag(e.performed_at) OVER latest - e.performed_at < interval '1 minute') IS NOT TRUE AS first
                                      FROM (SELECT p.id, p.performed_at,
                                                   concat_ws(chr(31), p.performed_by, p.action, p.handler_id, p.reason,
                                                             CASE WHEN p.event_id IS NULL THEN p.id END) AS change
                                            {selected}) e
                                    WINDOW latest AS (ORDER BY e.id DESC)) f) n
                     GROUP BY n.number
                     ORDER BY latest DESC
                     LIMIT :commands) command
             CROSS JOIN LATERAL (SELECT * FROM {schema}.outbox_operation p WHERE p.id = command.latest LIMIT 1) p
             ORDER BY p.id DESC
            """.replace("{selected}", SELECTED);

    /** Reads outbox_handler and outbox_stream whole; relies on outbox_operation_pause. */
    public static final String PAUSES = SELECT.replace("p.handler_id", "paused.handler_id") + """
              FROM (SELECT h.id AS handler_id, h.id || h.aliases AS ids, NULL AS stream
                      FROM {schema}.outbox_handler h
                     WHERE h.paused
                     UNION ALL
                    SELECT NULL, NULL, s.stream
                      FROM {schema}.outbox_stream s
                     WHERE s.paused) paused
             CROSS JOIN LATERAL (SELECT *
                                   FROM {schema}.outbox_operation p
                                  WHERE CASE WHEN paused.stream IS NULL THEN p.handler_id = ANY (paused.ids)
                                             ELSE p.handler_id IS NULL AND p.stream = paused.stream END
                                    AND p.action IN ('PAUSE_HANDLER', 'PAUSE_STREAM')
                                  ORDER BY p.id DESC
                                  LIMIT 1) p
            """;

    private final DataSource dataSource;
    private final Pipeline find;
    private final Pipeline commands;
    private final Pipeline pauses;

    public OperationLogStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.find = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, FIND);
        this.commands = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, COMMANDS);
        this.pauses = new Pipeline(schema, Pipeline.INSPECT, PAUSES);
    }

    /** Finds operations, the latest first. */
    public List<Operation> find(OperationSelection selection, int limit) throws SQLException {
        return find.run(
                dataSource,
                (parameters) -> bind(parameters, selection, limit),
                (results) -> results.list(OperationLogStore::read));
    }

    /** Groups the latest operations by command, the latest first. */
    public List<Operation.Command> commands(OperationSelection selection, int limit) throws SQLException {
        return commands.run(
                dataSource,
                (parameters) -> bind(parameters, selection, OutboxInspector.MOST_COUNTED)
                        .set("commands", limit),
                (results) -> results.list((row) -> new Operation.Command(
                        read(row),
                        row.getLong(12),
                        row.getLong(13),
                        row.getObject(14, OffsetDateTime.class).toInstant())));
    }

    private static NamedSql.Parameters bind(NamedSql.Parameters parameters, OperationSelection selection, int limit)
            throws SQLException {
        return parameters
                .set("event_id", selection.eventId())
                .set("handler_id", selection.handlerId())
                .set("performed_by", selection.performedBy())
                .set("since", selection.since())
                .set("before", selection.before())
                .set("older_than", selection.olderThan())
                .set("limit", limit);
    }

    /** Lists the latest pause of each handler and stream that is paused. */
    public List<Operation> pauses() throws SQLException {
        return pauses.run(dataSource, (parameters) -> {}, (results) -> results.list(OperationLogStore::read));
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
