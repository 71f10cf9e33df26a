package dev.outbox.internal.deadletter;

import dev.outbox.DeadLetter;
import dev.outbox.internal.sql.BoundConnection;
import dev.outbox.internal.sql.EventRow;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.NetworkTimeout;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/** Finds dead letters that their handler's dead-letter method has not handled, and marks them in the method's transaction. */
final class DeadLetterStore {

    /** Relies on outbox_delivery_unreported: one look-up for each handler. */
    private static final String WAITING = """
            SELECT h.id, first.report_at <= clock_timestamp()
              FROM unnest(:handler_ids::text[]) AS h (id)
             CROSS JOIN LATERAL (SELECT d.report_at
                                   FROM {schema}.outbox_delivery d
                                  WHERE d.handler_id = h.id
                                    AND d.status <> 'OPEN'
                                    AND d.report_at < 'infinity'
                                  ORDER BY d.report_at
                                  LIMIT 1) first
            """;

    /**
     * Relies on outbox_delivery_unreported and on the primary keys of both partitions: the event may be in history. Leaves out the payload of
     * an event that could not be read, and a large one that may have crashed processes.
     */
    private static final String LOCK = """
            SELECT {envelope},
                   d.replay_id IS NOT NULL, coalesce(d.last_error_code, 'UNKNOWN'), d.last_error, d.retry_count,
                   {ask client}
              FROM {schema}.outbox_delivery d
              JOIN {schema}.outbox o ON o.id = d.outbox_id
             WHERE d.handler_id = :handler_id
               AND d.status <> 'OPEN'
               AND d.report_at < 'infinity'
               AND d.report_at <= clock_timestamp()
             ORDER BY d.report_at
             LIMIT 1
               FOR UPDATE OF d SKIP LOCKED
            """.replace("{ask client}", NetworkTimeout.OF_SERVER)
            .replace("{envelope}", EventRow.columnsWithoutPayload("""
            d.last_error_code = 'UNREADABLE'
                        OR d.last_error_code = 'CRASH_LOOP' AND octet_length(o.payload::text) > 8388608"""));

    /** Relies on outbox_delivery_pk. */
    private static final String MARK_REPORTED = """
            UPDATE {schema}.outbox_delivery d
               SET report_at = 'infinity'
             WHERE d.outbox_id = :outbox_id
               AND d.handler_id = :handler_id
            """;

    /** Relies on outbox_delivery_pk. Waits for the time since the last attempt: a backoff without a counter. */
    private static final String POSTPONE = """
            UPDATE {schema}.outbox_delivery d
               SET report_at = clock_timestamp()
                   + least(greatest(clock_timestamp() - coalesce(d.last_attempt_at, d.created_at), interval '1 second'),
                           interval '1 hour')
             WHERE d.outbox_id = :outbox_id
               AND d.handler_id = :handler_id
               AND d.status <> 'OPEN'
               AND d.report_at <= clock_timestamp()
            """;

    private final DataSource dataSource;
    private final BoundConnection transaction;
    private final Pipeline waiting;
    private final NamedSql lock;
    private final NamedSql markReported;
    private final Pipeline postpone;

    public DeadLetterStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.transaction = new BoundConnection(dataSource);
        this.waiting = new Pipeline(schema, WAITING);
        this.lock = new NamedSql(schema.render(LOCK));
        this.markReported = new NamedSql(schema.render(MARK_REPORTED));
        this.postpone = new Pipeline(schema, POSTPONE);
    }

    /** Returns those of the handler ids that have dead letters to report, and whether one is due. */
    public Map<String, Boolean> waiting(Collection<String> handlerIds) throws SQLException {
        return waiting.run(
                dataSource,
                (parameters) -> parameters.setTexts("handler_ids", handlerIds, (id) -> id),
                (results) -> results.map((row) -> row.getBoolean(2)));
    }

    /** Locks a due dead letter that no other transaction holds until the thread's transaction ends. */
    public Optional<DeadLetter> lockNext(String handlerId) throws SQLException {
        if (!transaction.exists()) {
            throw new IllegalStateException(
                    "the transaction of the dead-letter method of handler '" + handlerId
                            + "' does not use the outbox's DataSource; give the outbox the transaction manager of its DataSource");
        }
        try (BoundConnection.Held held = transaction.holdLimited();
                PreparedStatement statement = held.connection().prepareStatement(lock.positional())) {
            lock.bind(statement).set("handler_id", handlerId).requireAll();
            ResultSet row = statement.executeQuery();
            return row.next() ? Optional.of(read(row, handlerId)) : Optional.empty();
        }
    }

    private static DeadLetter read(ResultSet row, String handlerId) throws SQLException {
        int next = EventRow.NEXT_COLUMN;
        return new DeadLetter(
                EventRow.read(row, row.getBoolean(next)),
                handlerId,
                row.getString(next + 1),
                row.getString(next + 2),
                row.getInt(next + 3));
    }

    /** Marks a locked dead letter as handled, in the thread's transaction. */
    public void markReported(DeadLetter letter) throws SQLException {
        try (BoundConnection.Held held = transaction.holdLimited();
                PreparedStatement statement = held.connection().prepareStatement(markReported.positional())) {
            key(markReported.bind(statement), letter).requireAll();
            statement.executeUpdate();
        }
    }

    /** Limits how long the end of the thread's transaction waits for an answer. */
    public void limitEnd() {
        transaction.limitUntilCompletion();
    }

    /** Lets a dead letter wait whose method failed. */
    public void postpone(DeadLetter letter) throws SQLException {
        postpone.run(dataSource, (parameters) -> key(parameters, letter));
    }

    private static NamedSql.Parameters key(NamedSql.Parameters parameters, DeadLetter letter) throws SQLException {
        return parameters.set("outbox_id", letter.event().id()).set("handler_id", letter.handlerId());
    }
}
