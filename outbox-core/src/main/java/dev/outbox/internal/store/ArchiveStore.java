package dev.outbox.internal.store;

import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import javax.sql.DataSource;

/** Moves published events out of the outbox when their time is over. */
public final class ArchiveStore {

    /** No replay adds a delivery between the look at these and the end of the transaction. */
    private static final String LOCK_HISTORY = """
            SELECT pg_advisory_xact_lock_shared({history lock})
            """;

    /**
     * Relies on outbox_published_at, from where the last batch ended, so that no batch reads the index entries of removed events;
     * on outbox_published_pk, and on outbox_delivery_pk for deliveries that are open or dead. The archive takes each event once,
     * even if another program wrote it there. One instance at a time: the others find the advisory lock taken.
     */
    static final String ARCHIVE = """
            WITH expired AS MATERIALIZED (
                SELECT o.id
                  FROM {schema}.outbox_published o
                 WHERE o.published_at >= :from::timestamptz
                   AND o.published_at < now() - :age_millis * interval '1 millisecond'
                   AND (SELECT {alone})
                   AND (SELECT d.outbox_id FROM {schema}.outbox_delivery d WHERE d.outbox_id = o.id LIMIT 1) IS NULL
                 ORDER BY o.published_at
                 LIMIT :limit
                   FOR UPDATE SKIP LOCKED
            ), removed AS (
                DELETE FROM {schema}.outbox_published o
                 WHERE o.id = ANY (ARRAY(SELECT expired.id FROM expired))
                RETURNING o.event_id, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type,
                          o.schema_version, o.payload, o.headers, o.occurred_at, o.published_at, o.retry_count
            ), archived AS (
                INSERT INTO {archive}.events
                       (outbox_event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version,
                        payload, headers, occurred_at, published_at, retry_count)
                SELECT event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                       headers, occurred_at, published_at, retry_count
                  FROM removed
                 WHERE :keep
                ON CONFLICT (outbox_event_id) DO NOTHING
            )
            SELECT count(*), max(published_at)
              FROM removed
            """;

    private final DataSource dataSource;
    private final Pipeline archive;

    /** Creates a store. */
    public ArchiveStore(DataSource dataSource, OutboxSchema schema, OutboxSchema archiveSchema) {
        this.dataSource = dataSource;
        this.archive = new Pipeline(
                schema, Pipeline.IN_INDEX_ORDER, LOCK_HISTORY, ARCHIVE.replace("{archive}", archiveSchema.quoted()));
    }

    /**
     * Removes one batch of events that were published long enough ago, the oldest first. An event with a delivery that is open or
     * dead stays.
     */
    public RemovedBatch archive(OffsetDateTime from, Duration age, int batchSize, boolean keep) throws SQLException {
        return archive.run(
                dataSource,
                (parameters) -> parameters
                        .set("from", from)
                        .set("age_millis", age.toMillis())
                        .set("limit", batchSize)
                        .set("keep", keep),
                (results) -> {
                    results.skip(2);
                    return RemovedBatch.read(results.rows());
                });
    }
}
