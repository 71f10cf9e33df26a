package dev.outbox.operations.internal.operate;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.registry.HandlerStore.Paused;
import dev.outbox.internal.registry.Pause;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Pauses and resumes streams and inboxes for all instances, and records the operator and the reason. */
final class PauseStore {

    /** Relies on outbox_stream_pk. Every claim reads the row. */
    private static final String SET_STREAM = """
            WITH {pause}, changed AS (
                UPDATE {schema}.outbox_stream p
                   SET paused_until = pause.until
                  FROM pause
                 WHERE p.stream = :stream
                   AND {changes}
                RETURNING p.stream
            ), recorded AS (
                INSERT INTO {schema}.outbox_operation (performed_by, action, reason, stream, paused_until)
                SELECT :actor, :action, :reason, changed.stream, {end}
                  FROM changed
            )
            SELECT EXISTS (SELECT FROM changed)
              FROM {schema}.outbox_stream s
             WHERE s.stream = :stream
            """.replace("{pause}", Pause.END)
            .replace("{changes}", Pause.CHANGES)
            .replace("{end}", Pause.RECORDED_END);

    /** Relies on outbox_handler_pk, and reads outbox_handler whole if no handler has the id. The entry is all that a consumer needs. */
    private static final String RESUME_INBOX = """
            INSERT INTO {schema}.outbox_operation (performed_by, action, reason, handler_id)
            SELECT :actor, :action, :reason, :handler_id
             WHERE EXISTS (SELECT FROM {schema}.outbox_handler h WHERE h.id = :handler_id OR :handler_id = ANY (h.aliases))
            RETURNING id
            """;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final DataSource dataSource;
    private final Pipeline setStream;
    private final Pipeline resumeInbox;

    PauseStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.setStream = Pipeline.durable(schema, LONGEST_WAIT, SET_STREAM);
        this.resumeInbox = Pipeline.durable(schema, LONGEST_WAIT, RESUME_INBOX);
    }

    /** Pauses or resumes a stream. */
    Optional<Paused> setStream(String stream, Pause pause, AuditInfo audit) throws SQLException {
        return setStream.run(
                dataSource,
                (parameters) -> pause.bind(parameters)
                        .set("stream", stream)
                        .set("action", pause.resumes() ? "RESUME_STREAM" : "PAUSE_STREAM")
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) -> results.list((row) -> new Paused(row.getBoolean(1), List.of(stream))).stream()
                        .findFirst());
    }

    /** Records where the stopped partitions of an inbox continue. Returns whether an instance has registered its handler. */
    boolean resumeInbox(String handlerId, String at, AuditInfo audit) throws SQLException {
        return resumeInbox.run(
                dataSource,
                (parameters) -> parameters
                        .set("handler_id", handlerId)
                        .set("action", JdbcOperations.RESUME_INBOX + at)
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) -> results.rows().next());
    }
}
