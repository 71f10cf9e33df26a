package dev.outbox.internal.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** Notes which handler has processed which event. */
public final class ProcessedEventStore {

    /**
     * Relies on processed_event_pk. If another transaction has inserted a row and is still open, this waits for its end, and
     * inserts only if it has rolled back.
     */
    private static final String INSERT = """
            INSERT INTO {schema}.processed_event (event_id, handler_id)
            SELECT :event_id, h.id
              FROM unnest(:handler_ids::text[]) AS h (id)
            ON CONFLICT DO NOTHING
            """;

    /**
     * Relies on processed_event_processed_at, from where the last batch ended, and on outbox_unpublished_event_id. An event in the
     * queue may be delivered again, however old it is. One instance at a time, as for the archive. Locked rows keep their place.
     */
    static final String PURGE = """
            WITH expired AS MATERIALIZED (
                SELECT p.ctid AS place
                  FROM {schema}.processed_event p
                 WHERE p.processed_at >= :from::timestamptz
                   AND p.processed_at < now() - :age_millis * interval '1 millisecond'
                   AND (SELECT {alone})
                   AND (SELECT o.id FROM {schema}.outbox_unpublished o WHERE o.event_id = p.event_id LIMIT 1) IS NULL
                 ORDER BY p.processed_at
                 LIMIT :limit
                   FOR UPDATE OF p SKIP LOCKED
            ), removed AS (
                DELETE FROM {schema}.processed_event p
                 WHERE p.ctid = ANY (ARRAY(SELECT expired.place FROM expired))
                RETURNING p.processed_at
            )
            SELECT count(*), max(processed_at)
              FROM removed
            """;

    private final DataSource dataSource;
    private final BoundConnection transaction;
    private final NamedSql insert;
    private final Pipeline purge;

    /** Creates a store. */
    public ProcessedEventStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.transaction = new BoundConnection(dataSource);
        this.insert = new NamedSql(schema.render(INSERT));
        this.purge = new Pipeline(schema, Pipeline.IN_INDEX_ORDER, PURGE);
    }

    /**
     * Notes, in the calling thread's transaction, that a handler has processed an event. Waits while another transaction that
     * has done so is open.
     */
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

    /** Forgets one batch of what was processed long enough ago, the oldest first, except for events that are still in the queue. */
    public RemovedBatch purge(OffsetDateTime from, Duration age, int batchSize) throws SQLException {
        return purge.run(
                dataSource,
                (parameters) -> parameters
                        .set("from", from)
                        .set("age_millis", age.toMillis())
                        .set("limit", batchSize),
                (results) -> {
                    results.skip(1);
                    return RemovedBatch.read(results.rows());
                });
    }
}
