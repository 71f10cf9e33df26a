package dev.outbox.internal.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
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

    private final BoundConnection transaction;
    private final NamedSql insert;

    public ProcessedEventStore(DataSource dataSource, OutboxSchema schema) {
        this.transaction = new BoundConnection(dataSource);
        this.insert = new NamedSql(schema.render(INSERT));
    }

    /** Records a processed event under all ids of a handler, in the thread's transaction; returns whether it is new. */
    public boolean insert(UUID eventId, List<String> handlerIds) throws SQLException {
        if (!transaction.exists()) {
            throw new IllegalStateException(
                    "the transaction of the deduplicating handler '" + handlerIds
                            + "' does not use the outbox's DataSource; give the outbox the transaction manager of its DataSource");
        }
        return transaction.call((connection) -> {
            try (PreparedStatement statement = connection.prepareStatement(insert.positional())) {
                insert.bind(statement).set("event_id", eventId).set("handler_ids", handlerIds.toArray(String[]::new));
                return statement.executeUpdate() == handlerIds.size();
            }
        });
    }
}
