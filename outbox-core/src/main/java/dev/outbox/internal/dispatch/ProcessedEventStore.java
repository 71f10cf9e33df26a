package dev.outbox.internal.dispatch;

import dev.outbox.internal.sql.BoundConnection;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.NetworkTimeout;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** Deduplication inbox: records which handler has processed which event. */
final class ProcessedEventStore {

    /**
     * Precedes an insert, which waits while an open transaction has inserted such a row: that of a worker that died while the network
     * swallowed the end of its connection, perhaps.
     */
    private static final String LIMIT_WAIT = """
            SELECT set_config('outbox.lock_timeout', current_setting('lock_timeout'), true),
                   set_config('lock_timeout', '1s', true),
                   {ask client};
            """.replace("{ask client}", NetworkTimeout.OF_SERVER);

    /** The statements of the handler keep the timeout that its transaction began with. */
    private static final String RESTORE_WAIT = """
            ;
            SELECT set_config('lock_timeout', current_setting('outbox.lock_timeout'), true)
            """;

    /** Of a limited wait: a lock timeout, or a shorter statement timeout of the role. */
    private static final Set<String> GAVE_UP = Set.of("55P03", "57014");

    /** Relies on processed_event_pk. Inserts in the order of event ids, so that two batches of one handler never deadlock. */
    private static final String INSERT = """
            WITH known AS (
                INSERT INTO {schema}.processed_event (event_id, handler_id)
                SELECT e.id, h.id
                  FROM unnest(:event_ids::uuid[]) AS e (id)
                 CROSS JOIN unnest(:handler_ids::text[]) AS h (id)
                 ORDER BY e.id, h.id
                ON CONFLICT DO NOTHING
                RETURNING event_id
            )
            SELECT event_id
              FROM known
             GROUP BY event_id
            HAVING count(*) = cardinality(:handler_ids::text[])
            """;

    private final BoundConnection transaction;
    private final NamedSql probe;
    private final NamedSql insert;

    ProcessedEventStore(DataSource dataSource, OutboxSchema schema) {
        this.transaction = new BoundConnection(dataSource);
        this.probe = new NamedSql(schema.render(INSERT));
        this.insert = new NamedSql(schema.render(LIMIT_WAIT + INSERT + RESTORE_WAIT));
    }

    /** Records processed events under all ids of a handler, in the thread's transaction; returns the ids of the new ones. */
    Set<UUID> insert(Collection<UUID> eventIds, List<String> handlerIds) throws SQLException {
        requireTransaction(handlerIds);
        try (BoundConnection.Held held = transaction.holdLimited();
                PreparedStatement statement = held.connection().prepareStatement(insert.positional())) {
            bind(insert, statement, eventIds, handlerIds);
            statement.execute();
            statement.getMoreResults();
            ResultSet rows = statement.getResultSet();
            Set<UUID> fresh = new HashSet<>();
            while (rows.next()) {
                fresh.add(rows.getObject(1, UUID.class));
            }
            return fresh;
        }
    }

    /** Returns the events that open transactions have recorded; records none, and hardly waits. */
    Set<UUID> findLocked(Collection<UUID> eventIds, List<String> handlerIds) throws SQLException {
        requireTransaction(handlerIds);
        Set<UUID> locked = new HashSet<>();
        try (BoundConnection.Held held = transaction.holdLimited();
                Statement control = held.connection().createStatement();
                PreparedStatement statement = held.connection().prepareStatement(probe.positional())) {
            control.execute("SET LOCAL lock_timeout = '1ms'");
            control.execute("SAVEPOINT outbox_before");
            for (UUID eventId : eventIds) {
                try {
                    bind(probe, statement, List.of(eventId), handlerIds);
                    statement.execute();
                } catch (SQLException ex) {
                    if (!isLocked(ex)) {
                        throw ex;
                    }
                    locked.add(eventId);
                }
                control.execute("ROLLBACK TO SAVEPOINT outbox_before");
            }
        }
        return locked;
    }

    /** Limits how long the end of the thread's transaction waits for an answer. */
    void limitEnd() {
        transaction.limitUntilCompletion();
    }

    /** Returns whether an insert gave up because another transaction has recorded an event and is still open. */
    static boolean isLocked(SQLException ex) {
        return GAVE_UP.contains(String.valueOf(ex.getSQLState()));
    }

    private static void bind(
            NamedSql sql, PreparedStatement statement, Collection<UUID> eventIds, List<String> handlerIds)
            throws SQLException {
        sql.bind(statement)
                .set("event_ids", eventIds.toArray(UUID[]::new))
                .set("handler_ids", handlerIds.toArray(String[]::new));
    }

    private void requireTransaction(List<String> handlerIds) {
        if (!transaction.exists()) {
            throw new IllegalStateException(
                    "the transaction of the deduplicating handler '" + handlerIds
                            + "' does not use the outbox's DataSource; give the outbox the transaction manager of its DataSource");
        }
    }
}
