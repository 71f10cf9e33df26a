package dev.outbox.internal.retention;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
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
     * outbox_published_pk, outbox_replay_unfinished and outbox_delivery_pk. Events that a running replay has yet to read stay: a run reads
     * them once. The archive may hold an event that another program wrote.
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
                          o.erased_at, o.skipped_handlers
            ), archived AS (
                INSERT INTO {archive}.events
                       (outbox_event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version,
                        payload, headers, occurred_at, published_at, retry_count, erased_at,
                        skipped_handlers)
                SELECT event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                       headers, occurred_at, published_at, retry_count, erased_at,
                       coalesce(skipped_handlers, '{}')
                  FROM removed
                 WHERE :keep
                ON CONFLICT (outbox_event_id) DO NOTHING
            )
            SELECT count(*), max(published_at)
              FROM removed
            """;

    /**
     * Relies on processed_event_processed_at, from where the last batch ended, on the indexes of event ids, and on outbox_delivery_pk. An
     * event in the queue, or with a delivery, may be delivered again, however old it is.
     */
    static final String PURGE = """
            WITH expired AS MATERIALIZED (
                SELECT p.ctid AS place
                  FROM {schema}.processed_event p
                 WHERE p.processed_at >= :from::timestamptz
                   AND p.processed_at < now() - :age_millis * interval '1 millisecond'
                   AND (SELECT pg_try_advisory_xact_lock(hashtextextended('outbox retention of {schema}.processed_event', 0)))
                   AND (SELECT o.id FROM {schema}.outbox_unpublished o WHERE o.event_id = p.event_id LIMIT 1) IS NULL
                   AND (SELECT d.outbox_id
                          FROM {schema}.outbox_published o
                          JOIN {schema}.outbox_delivery d ON d.outbox_id = o.id
                         WHERE o.event_id = p.event_id
                         LIMIT 1) IS NULL
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

    /**
     * Relies on the primary key: rows get their ids in the order of their times, so a run ends at the first page whose last row is young, and
     * reads what it keeps once.
     */
    private static final String TRIM = """
            WITH page AS MATERIALIZED (
                SELECT t.id, t.{time} < now() - :age_millis * interval '1 millisecond' AS old
                  FROM {table} t
                 WHERE t.id > :from
                   AND (SELECT pg_try_advisory_xact_lock(hashtextextended('outbox retention of {table}', 0)))
                 ORDER BY t.id
                 LIMIT :limit
            ), removed AS (
                DELETE FROM {table} t
                 WHERE t.id = ANY (ARRAY(SELECT page.id FROM page WHERE page.old))
                   AND {finished}
                RETURNING t.id
            )
            SELECT (SELECT count(*) FROM removed), count(*), coalesce(max(page.id), 0), coalesce(bool_or(page.old), false)
              FROM page
            """;

    static final String TRIM_ARCHIVE = TRIM.replace("{table}", "{archive}.events")
            .replace("{time}", "archived_at")
            .replace("{finished}", "true");

    /**
     * Relies on outbox_delivery_replay too. A replay is over when its deliveries are, which is later than its last page.
     */
    static final String TRIM_REPLAYS = TRIM.replace("{table}", "{schema}.outbox_replay")
            .replace("{time}", "created_at")
            .replace("{finished}", """
                    t.finished_at < now() - :age_millis * interval '1 millisecond'
                   AND (SELECT d.replay_id FROM {schema}.outbox_delivery d WHERE d.replay_id = t.id LIMIT 1) IS NULL""");

    /**
     * Relies on the indexes of event ids too; reads outbox_stream and outbox_handler whole. What was done to an event stays as long as that
     * event: the view and its page show it, and inboxes ask for it. So does the pause that is in force.
     */
    static final String TRIM_OPERATIONS = TRIM.replace("{table}", "{schema}.outbox_operation")
            .replace("{time}", "performed_at")
            .replace("{finished}", """
                    (t.event_id IS NULL OR (SELECT o.id FROM {schema}.outbox o WHERE o.event_id = t.event_id LIMIT 1) IS NULL)
                   AND NOT (t.action = 'PAUSE_STREAM' AND t.stream IN (SELECT s.stream FROM {schema}.outbox_stream s WHERE s.paused_until > now()))
                   AND NOT (t.action = 'PAUSE_HANDLER'
                            AND t.handler_id IN (SELECT unnest(h.id || h.aliases) FROM {schema}.outbox_handler h WHERE h.paused_until > now()))""");

    private static final String CUTOFF = """
            SELECT now() - :age_millis * interval '1 millisecond'
            """;

    /** For a batch of rows: payloads may be large, and disks slow. */
    private static final Duration LONGEST_BATCH = Duration.ofMinutes(5);

    private final DataSource dataSource;
    private final Pipeline archive;
    private final Pipeline purge;
    private final Pipeline cutoff;
    private final OutboxSchema schema;
    private final OutboxSchema archiveSchema;

    RetentionStore(DataSource dataSource, OutboxSchema schema, OutboxSchema archiveSchema) {
        this.dataSource = dataSource;
        this.cutoff = new Pipeline(schema, CUTOFF);
        this.schema = schema;
        this.archiveSchema = archiveSchema;
        this.archive = new Pipeline(
                        schema,
                        Pipeline.IN_INDEX_ORDER,
                        LOCK_HISTORY,
                        ARCHIVE.replace("{archive}", archiveSchema.quoted()))
                .lasting(LONGEST_BATCH);
        this.purge = new Pipeline(schema, Pipeline.IN_INDEX_ORDER, PURGE).lasting(LONGEST_BATCH);
    }

    /** Batch of removed rows, the place up to which rows were looked at, and whether the next one may hold old ones. */
    record Batch<P>(int rows, P upTo, boolean more) {}

    /** Before all rows. */
    static final OffsetDateTime BEGINNING = OffsetDateTime.MIN;

    private static Batch<OffsetDateTime> read(ResultSet row, int limit) throws SQLException {
        OffsetDateTime youngest = row.getObject(2, OffsetDateTime.class);
        return new Batch<>(row.getInt(1), youngest == null ? BEGINNING : youngest, row.getInt(1) == limit);
    }

    /** Moves one batch of published events to the archive, or deletes them; an event with an open or dead delivery stays, and one that a replay has yet to read. */
    Batch<OffsetDateTime> archive(OffsetDateTime from, Duration age, int limit, boolean keep) throws SQLException {
        return archive.run(
                dataSource,
                (parameters) -> parameters
                        .set("from", from)
                        .set("age_millis", age.toMillis())
                        .set("limit", limit)
                        .set("keep", keep),
                (results) -> read(results.row(), limit));
    }

    /** Deletes one batch of rows of the deduplication inbox, except those of events in the queue. */
    Batch<OffsetDateTime> purge(OffsetDateTime from, Duration age, int limit) throws SQLException {
        return purge.run(
                dataSource,
                (parameters) -> parameters
                        .set("from", from)
                        .set("age_millis", age.toMillis())
                        .set("limit", limit),
                (results) -> read(results.row(), limit));
    }

    /** Deletes what is old and over of the next rows. */
    Batch<Long> trim(String statement, long from, Duration age, int limit) throws SQLException {
        return new Pipeline(schema, Pipeline.IN_INDEX_ORDER, statement.replace("{archive}", archiveSchema.quoted()))
                .lasting(LONGEST_BATCH)
                .run(
                        dataSource,
                        (parameters) -> parameters
                                .set("from", from)
                                .set("age_millis", age.toMillis())
                                .set("limit", limit),
                        (results) -> {
                            ResultSet row = results.row();
                            return new Batch<>(
                                    row.getInt(1), row.getLong(3), row.getInt(2) == limit && row.getBoolean(4));
                        });
    }

    /** Returns the time at which a row of that age was written, by the clock of the database. */
    Instant cutoff(Duration age) throws SQLException {
        return cutoff.run(
                dataSource,
                (parameters) -> parameters.set("age_millis", age.toMillis()),
                (results) -> results.row().getObject(1, OffsetDateTime.class).toInstant());
    }
}
