package dev.outbox.internal.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** Deduplication inbox: records which handler has processed which event. */
public final class ProcessedEventStore {

    /** Relies on processed_event_pk. Waits while an open transaction has inserted such a row, and inserts if it rolls back. */
    private static final String INSERT = """
            INSERT INTO {schema}.processed_event (event_id, handler_id)
            SELECT :event_id, h.id
              FROM unnest(:handler_ids::text[]) AS h (id)
            ON CONFLICT DO NOTHING
            """;

    /** Relies on processed_event_pk. Inserts in the order of event ids, so that two batches of one handler never deadlock. */
    private static final String INSERT_ALL = """
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
    private final NamedSql insert;
    private final NamedSql insertAll;

    public ProcessedEventStore(DataSource dataSource, OutboxSchema schema) {
        this.transaction = new BoundConnection(dataSource);
        this.insert = new NamedSql(schema.render(INSERT));
        this.insertAll = new NamedSql(schema.render(INSERT_ALL));
    }

    /** Records a processed event under all ids of a handler, in the thread's transaction; returns whether it is new. */
    public boolean insert(UUID eventId, List<String> handlerIds) throws SQLException {
        requireTransaction(handlerIds);
        return transaction.call((connection) -> {
            try (PreparedStatement statement = connection.prepareStatement(insert.positional())) {
                insert.bind(statement).set("event_id", eventId).set("handler_ids", handlerIds.toArray(String[]::new));
                return statement.executeUpdate() == handlerIds.size();
            }
        });
    }

    /** Records processed events under all ids of a handler, in the thread's transaction; returns the ids of the new ones. */
    public Set<UUID> insertAll(Collection<UUID> eventIds, List<String> handlerIds) throws SQLException {
        requireTransaction(handlerIds);
        return transaction.call((connection) -> {
            try (PreparedStatement statement = connection.prepareStatement(insertAll.positional())) {
                insertAll
                        .bind(statement)
                        .set("event_ids", eventIds.toArray(UUID[]::new))
                        .set("handler_ids", handlerIds.toArray(String[]::new));
                ResultSet rows = statement.executeQuery();
                Set<UUID> fresh = new HashSet<>();
                while (rows.next()) {
                    fresh.add(rows.getObject(1, UUID.class));
                }
                return fresh;
            }
        });
    }

    private void requireTransaction(List<String> handlerIds) {
        if (!transaction.exists()) {
            throw new IllegalStateException(
                    "the transaction of the deduplicating handler '" + handlerIds
                            + "' does not use the outbox's DataSource; give the outbox the transaction manager of its DataSource");
        }
    }
}
