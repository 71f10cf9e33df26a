package dev.outbox.operations.internal.operate;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Pauses and resumes handlers, streams and inboxes for all instances, and records the operator and the reason. */
final class PauseStore {

    /** Relies on outbox_handler_pk. */
    private static final String ADD_HANDLER = """
            INSERT INTO {schema}.outbox_handler (id)
            SELECT :handler_id
             WHERE :add
            ON CONFLICT (id) DO NOTHING
            """;

    /**
     * Reads outbox_handler whole: it has a row per handler and former id, which are paused and resumed together. A change raises the
     * versions, so that every instance obeys from its next claim on.
     */
    private static final String SET_HANDLER =
            """
            WITH named AS (
                SELECT h.id
                  FROM {schema}.outbox_handler h
                 WHERE h.id = :handler_id
                    OR :handler_id = ANY (h.aliases)
                    OR h.id IN (SELECT unnest(n.aliases) FROM {schema}.outbox_handler n WHERE n.id = :handler_id)
            ), changed AS (
                UPDATE {schema}.outbox_handler h
                   SET paused = :paused
                 WHERE h.id IN (SELECT named.id FROM named)
                   AND h.paused <> :paused
                RETURNING h.id
            ), recorded AS (
                INSERT INTO {schema}.outbox_operation (performed_by, action, reason, handler_id)
                SELECT :actor, :action, :reason, :handler_id
                 WHERE EXISTS (SELECT FROM changed)
            ), version AS (
            """ + HandlerStore.RAISE_VERSIONS.replace("{changed}", "EXISTS (SELECT FROM changed)") + """
                RETURNING s.stream
            )
            SELECT EXISTS (SELECT FROM changed), ARRAY(SELECT version.stream FROM version)
             WHERE EXISTS (SELECT FROM named)
            """;

    /** Relies on outbox_stream_pk. Every claim reads the row. */
    private static final String SET_STREAM = """
            WITH changed AS (
                UPDATE {schema}.outbox_stream s
                   SET paused = :paused
                 WHERE s.stream = :stream
                   AND s.paused <> :paused
                RETURNING s.stream
            ), recorded AS (
                INSERT INTO {schema}.outbox_operation (performed_by, action, reason, stream)
                SELECT :actor, :action, :reason, changed.stream
                  FROM changed
            )
            SELECT EXISTS (SELECT FROM changed), ARRAY[s.stream]
              FROM {schema}.outbox_stream s
             WHERE s.stream = :stream
            """;

    /** Relies on outbox_handler_pk, and reads outbox_handler whole if no handler has the id. The entry is all that a consumer needs. */
    private static final String RESUME_INBOX = """
            INSERT INTO {schema}.outbox_operation (performed_by, action, reason, handler_id)
            SELECT :actor, :action, :reason, :handler_id
             WHERE EXISTS (SELECT FROM {schema}.outbox_handler h WHERE h.id = :handler_id OR :handler_id = ANY (h.aliases))
            RETURNING id
            """;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final DataSource dataSource;
    private final Pipeline setHandler;
    private final Pipeline setStream;
    private final Pipeline resumeInbox;

    PauseStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.setHandler = Pipeline.durable(schema, LONGEST_WAIT, HandlerStore.LOCK_REGISTRY, ADD_HANDLER, SET_HANDLER);
        this.setStream = Pipeline.durable(schema, LONGEST_WAIT, SET_STREAM);
        this.resumeInbox = Pipeline.durable(schema, LONGEST_WAIT, RESUME_INBOX);
    }

    /** Whether anything changed, and the streams that it concerns. */
    record Result(boolean changed, List<String> streams) {}

    /** Pauses or resumes a handler, which is added if no instance has registered it yet and {@code add} is set. */
    Optional<Result> setHandler(String handlerId, boolean paused, boolean add, AuditInfo audit) throws SQLException {
        return setHandler.run(
                dataSource,
                (parameters) -> parameters
                        .set("handler_id", handlerId)
                        .set("add", add)
                        .set("paused", paused)
                        .set("action", paused ? "PAUSE_HANDLER" : "RESUME_HANDLER")
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) -> results.list(PauseStore::read).stream().findFirst());
    }

    /** Pauses or resumes a stream. */
    Optional<Result> setStream(String stream, boolean paused, AuditInfo audit) throws SQLException {
        return setStream.run(
                dataSource,
                (parameters) -> parameters
                        .set("stream", stream)
                        .set("paused", paused)
                        .set("action", paused ? "PAUSE_STREAM" : "RESUME_STREAM")
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) -> results.list(PauseStore::read).stream().findFirst());
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

    private static Result read(ResultSet row) throws SQLException {
        return new Result(row.getBoolean(1), List.of((String[]) row.getArray(2).getArray()));
    }
}
