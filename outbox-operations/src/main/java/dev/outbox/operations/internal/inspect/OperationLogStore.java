package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Count;
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
                   CASE p.previous_status WHEN 'BLOCKING' THEN 'DEAD' ELSE p.previous_status END, p.last_error_code, p.last_error,
                   p.paused_until
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
            """;

    private static final String FIND = SELECT + SELECTED + " ORDER BY p.id DESC LIMIT :limit";

    /**
     * Relies on what {@link #SELECTED} does, and steps from the latest entry of a command to that of the one before, which is cheaper than to
     * compare all neighbors. Entries of the same change in a row, within an hour, are one command.
     */
    private static final String COMMANDS = """
            WITH RECURSIVE reach AS MATERIALIZED (
                SELECT coalesce((SELECT p.id {selected} ORDER BY p.id DESC OFFSET {most} - 1 LIMIT 1), 0) AS id
            ), command AS (
                (SELECT p.*, 1 AS number {selected} ORDER BY p.id DESC LIMIT 1)
                 UNION ALL
                SELECT earlier.*, c.number + 1
                  FROM command c
                 CROSS JOIN LATERAL (SELECT p.* {selected}
                                        AND p.id < c.id
                                        AND p.id >= (SELECT reach.id FROM reach)
                                        AND ((p.performed_by, p.action, p.handler_id, p.reason)
                                             IS DISTINCT FROM (c.performed_by, c.action, c.handler_id, c.reason)
                                             OR p.event_id IS NULL OR c.event_id IS NULL
                                             OR p.performed_at < c.performed_at - interval '1 hour')
                                      ORDER BY p.id DESC
                                      LIMIT 1) earlier
                 WHERE c.number <= :limit
            )
            """ + SELECT.replace("p.", "c.") + """
                 , entries.number, (SELECT reach.id = 0 OR c.earlier >= reach.id FROM reach), entries.oldest, entries.since
              FROM (SELECT *, lead(id, 1, (SELECT reach.id - 1 FROM reach)) OVER (ORDER BY id DESC) AS earlier FROM command) c
             CROSS JOIN LATERAL (SELECT count(*) AS number, min(p.id) AS oldest, min(p.performed_at) AS since
                                 {selected}
                                    AND p.id <= c.id
                                    AND p.id > c.earlier) entries
             ORDER BY c.id DESC
             LIMIT :limit
            """;

    /** Reads outbox_handler and outbox_stream whole; relies on outbox_operation_pause. */
    public static final String PAUSES = SELECT.replace("p.handler_id", "paused.handler_id") + """
              FROM (SELECT h.id AS handler_id, h.id || h.aliases AS ids, NULL AS stream
                      FROM {schema}.outbox_handler h
                     WHERE h.paused_until > now()
                     UNION ALL
                    SELECT NULL, NULL, s.stream
                      FROM {schema}.outbox_stream s
                     WHERE s.paused_until > now()) paused
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
        this.commands = new Pipeline(
                schema,
                Pipeline.PLAN_WITH_VALUES,
                COMMANDS.replace("{selected}", SELECTED).replace("{most}", Integer.toString(Count.MOST)));
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
                (parameters) -> bind(parameters, selection, limit),
                (results) -> results.list((row) -> new Operation.Command(
                        read(row),
                        new Count(row.getLong(13), row.getBoolean(14)),
                        row.getLong(15),
                        row.getObject(16, OffsetDateTime.class).toInstant())));
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
        OffsetDateTime pausedUntil = row.getObject(12, OffsetDateTime.class);
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
                        code == null ? null : new Delivery.Failure(code, row.getString(11))),
                pausedUntil == null ? null : pausedUntil.toInstant());
    }
}
