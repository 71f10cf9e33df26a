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

    /** Comes after every id. */
    private static final String LAST = Long.toString(Long.MAX_VALUE);

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
     * Relies on outbox_operation_command, which NOT NULL admits; the order by both columns keeps the planner from reading the primary key
     * backwards.
     */
    static final String ENTRIES = SELECT + SELECTED + """
               AND p.command_id IS NOT NULL
               AND (p.command_id, p.id) BETWEEN (:command::bigint, 0) AND (:command::bigint, coalesce(:older_than::bigint, {last}) - 1)
             ORDER BY p.command_id DESC, p.id DESC
             LIMIT :limit
            """.replace("{last}", LAST);

    private static final String NEXT_COMMAND = "SELECT nextval('{schema}.outbox_operation_id_seq')";

    /**
     * Relies on outbox_operation_single, and steps from one number to the one before in outbox_operation_command, however many operations
     * have it. The operations of an event are looked for one by one, with outbox_operation_event. The figure of a retry or skip in the
     * background is that of its row, which outbox_replay_command finds.
     */
    static final String COMMANDS = ("""
            WITH RECURSIVE numbered AS (
                (SELECT p.command_id
                   FROM {schema}.outbox_operation p
                  WHERE p.command_id < coalesce(:older_than::bigint, {last})
                  ORDER BY p.command_id DESC
                  LIMIT 1)
                 UNION ALL
                SELECT earlier.command_id
                  FROM numbered n
                 CROSS JOIN LATERAL (SELECT p.command_id
                                       FROM {schema}.outbox_operation p
                                      WHERE p.command_id < n.command_id
                                      ORDER BY p.command_id DESC
                                      LIMIT 1) earlier
            ), command AS (
                (SELECT p.*, p.id AS number {selected}
                    AND (p.command_id IS NULL OR :event_id::uuid IS NOT NULL)
                  ORDER BY p.id DESC
                  LIMIT :limit)
                 UNION ALL
                (SELECT p.*, n.command_id
                   FROM numbered n
                  CROSS JOIN LATERAL (SELECT *
                                        FROM {schema}.outbox_operation p
                                       WHERE p.command_id IS NOT NULL
                                         AND (p.command_id, p.id) > (n.command_id, 0)
                                       ORDER BY p.command_id, p.id
                                       LIMIT 1) p
                  WHERE :event_id::uuid IS NULL
                    AND (:performed_by::text IS NULL OR p.performed_by = :performed_by)
                    AND (:since::timestamptz IS NULL OR p.performed_at >= :since)
                    AND (:before::timestamptz IS NULL OR p.performed_at < :before)
                    AND (:handler_id::text IS NULL
                         OR EXISTS (SELECT
                                      FROM (SELECT e.handler_id
                                              FROM {schema}.outbox_operation e
                                             WHERE e.command_id = n.command_id
                                             LIMIT {most}) e
                                     WHERE e.handler_id = :handler_id))
                  LIMIT :limit)
            )
            """
                    + SELECT.replace("p.", "c.")
                            .replace("c.handler_id", "CASE WHEN NOT entries.mixed THEN c.handler_id END")
                    + """
                 , c.number, coalesce(run.fed_count, greatest(entries.found, 1)), run.id IS NOT NULL OR entries.found < {most}, run.id
              FROM command c
              LEFT JOIN LATERAL (SELECT r.id, r.fed_count
                                   FROM {schema}.outbox_replay r
                                  WHERE r.command_id = c.command_id
                                    AND :event_id::uuid IS NULL
                                  LIMIT 1) run ON true
             CROSS JOIN LATERAL (SELECT count(*) AS found, coalesce(min(e.handler_id) < max(e.handler_id), false) AS mixed
                                   FROM (SELECT e.handler_id
                                           FROM {schema}.outbox_operation e
                                          WHERE e.command_id = c.command_id
                                            AND run.id IS NULL
                                            AND :event_id::uuid IS NULL
                                          LIMIT {most}) e) entries
             ORDER BY c.number DESC
             LIMIT :limit
            """)
            .replace("{selected}", SELECTED)
            .replace("{last}", LAST)
            .replace("{most}", Integer.toString(Count.MOST));

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
    private final Pipeline entries;
    private final Pipeline commands;
    private final Pipeline nextCommand;
    private final Pipeline pauses;

    public OperationLogStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.find = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, FIND);
        this.entries = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, Pipeline.IN_INDEX_ORDER, ENTRIES);
        this.commands = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, Pipeline.IN_INDEX_ORDER, COMMANDS);
        this.nextCommand = new Pipeline(schema, NEXT_COMMAND);
        this.pauses = new Pipeline(schema, Pipeline.INSPECT, PAUSES);
    }

    /** Finds operations, the latest first. */
    public List<Operation> find(OperationSelection selection, int limit) throws SQLException {
        Long command = selection.command();
        return command == null
                ? find.run(
                        dataSource,
                        (parameters) -> bind(parameters, selection, limit),
                        (results) -> results.list(OperationLogStore::read))
                : entries.run(
                        dataSource,
                        (parameters) -> bind(parameters, selection, limit).set("command", command),
                        (results) -> results.list(OperationLogStore::read));
    }

    /** Draws the number of a command that may change several deliveries or events. */
    public long nextCommand() throws SQLException {
        return nextCommand.run(
                dataSource, (parameters) -> {}, (results) -> results.row().getLong(1));
    }

    /** Lists commands, the latest first. */
    public List<Operation.Command> commands(OperationSelection selection, int limit) throws SQLException {
        return commands.run(
                dataSource,
                (parameters) -> bind(parameters, selection, limit),
                (results) -> results.list((row) -> new Operation.Command(
                        row.getLong(13),
                        read(row),
                        new Count(row.getLong(14), row.getBoolean(15)),
                        row.getObject(16, Long.class))));
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
