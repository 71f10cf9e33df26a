package dev.outbox.internal.retention;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import javax.sql.DataSource;

/** Removes what is old enough; one instance works at a time, the others find the advisory lock taken. */
final class RetentionStore {

    /** Until the transaction ends, no replay adds a delivery to an event that has none. */
    private static final String LOCK_HISTORY = """
            SELECT pg_advisory_xact_lock_shared(hashtextextended('outbox history of {schema}', 0))
            """;

    /**
     * Relies on outbox_published_at, from where the last batch ended, so that no batch reads the index entries of removed events, on
     * outbox_published_pk, outbox_replay_unfinished, outbox_delivery_pk and outbox_operation_event. Events that a running replay has yet
     * to read stay: a run reads them once. The archive may hold an event that another program wrote.
     */
    static final String ARCHIVE = """
            WITH expired AS MATERIALIZED (
                SELECT o.id
                  FROM {schema}.outbox_published o
                 WHERE o.published_at >= :from::timestamptz
                   AND o.published_at < now() - :age_millis * interval '1 millisecond'
                   AND (SELECT pg_try_advisory_xact_lock(hashtextextended('outbox retention of {schema}', 0)))
                   AND (SELECT r.id
                          FROM {schema}.outbox_replay r
                         WHERE r.finished_at IS NULL
                           AND r.kind = 'REPLAY'
                           AND o.id > r.after_id
                           AND o.id <= r.up_to_id
                         LIMIT 1) IS NULL
                   AND (SELECT d.outbox_id FROM {schema}.outbox_delivery d WHERE d.outbox_id = o.id LIMIT 1) IS NULL
                 ORDER BY o.published_at
                 LIMIT :limit
                   FOR UPDATE SKIP LOCKED
            ), removed AS (
                DELETE FROM {schema}.outbox_published o
                 WHERE o.id = ANY (ARRAY(SELECT expired.id FROM expired))
                RETURNING o.event_id, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type,
                          o.schema_version, o.payload, o.headers, o.occurred_at, o.published_at, o.retry_count,
                          o.erased_at
            ), archived AS (
                INSERT INTO {archive}.events
                       (outbox_event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version,
                        payload, headers, occurred_at, published_at, retry_count, erased_at,
                        skipped_handlers)
                SELECT event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                       headers, occurred_at, published_at, retry_count, erased_at,
                       ARRAY(SELECT DISTINCT p.handler_id
                               FROM {schema}.outbox_operation p
                              WHERE p.event_id = removed.event_id
                                AND p.action = 'SKIP'
                                AND p.performed_at <= removed.published_at
                              ORDER BY p.handler_id)
                  FROM removed
                 WHERE :keep
                ON CONFLICT (outbox_event_id) DO NOTHING
            )
            SELECT count(*), max(published_at)
              FROM removed
            """;

    /**
     * Relies on processed_event_processed_at, from where the last batch ended, and on outbox_unpublished_event_id. An event in the
     * queue may be delivered again, however old it is.
     */
    static final String PURGE = """
            WITH expired AS MATERIALIZED (
                SELECT p.ctid AS place
                  FROM {schema}.processed_event p
                 WHERE p.processed_at >= :from::timestamptz
                   AND p.processed_at < now() - :age_millis * interval '1 millisecond'
                   AND (SELECT pg_try_advisory_xact_lock(hashtextextended('outbox retention of {schema}', 0)))
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
    private final Pipeline archive;
    private final Pipeline purge;

    RetentionStore(DataSource dataSource, OutboxSchema schema, OutboxSchema archiveSchema) {
        this.dataSource = dataSource;
        this.archive = new Pipeline(
                schema, Pipeline.IN_INDEX_ORDER, LOCK_HISTORY, ARCHIVE.replace("{archive}", archiveSchema.quoted()));
        this.purge = new Pipeline(schema, Pipeline.IN_INDEX_ORDER, PURGE);
    }

    /** Batch of removed rows, and the time of the youngest. */
    record Batch(int rows, OffsetDateTime upTo) {

        /** Before all rows. */
        static final Batch BEGINNING = new Batch(0, OffsetDateTime.MIN);

        private static Batch read(ResultSet row) throws SQLException {
            OffsetDateTime youngest = row.getObject(2, OffsetDateTime.class);
            return new Batch(row.getInt(1), youngest == null ? BEGINNING.upTo : youngest);
        }
    }

    /** Moves one batch of published events to the archive, or deletes them; an event with an open or dead delivery stays, and one that a replay has yet to read. */
    Batch archive(OffsetDateTime from, Duration age, int limit, boolean keep) throws SQLException {
        return archive.run(
                dataSource,
                (parameters) -> parameters
                        .set("from", from)
                        .set("age_millis", age.toMillis())
                        .set("limit", limit)
                        .set("keep", keep),
                (results) -> Batch.read(results.row()));
    }

    /** Deletes one batch of rows of the deduplication inbox, except those of events in the queue. */
    Batch purge(OffsetDateTime from, Duration age, int limit) throws SQLException {
        return purge.run(
                dataSource,
                (parameters) -> parameters
                        .set("from", from)
                        .set("age_millis", age.toMillis())
                        .set("limit", limit),
                (results) -> Batch.read(results.row()));
    }
}
