package dev.outbox.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Claims batches of a stream, and keeps, gives up and drops claims. */
public final class ClaimStore {

    /** Relies on outbox_stream_pk. Claimers of a stream take turns, so that the next statements see every earlier claim. */
    private static final String LOCK_STREAM = """
            SELECT s.registry_version
              FROM {schema}.outbox_stream s
             WHERE s.stream = ?
               FOR UPDATE
            """;

    /** Reads outbox_claim whole: it has a row per batch in flight. Events by outbox_unpublished_pk. */
    private static final String DROP_EXPIRED = """
            WITH expired AS (
                DELETE FROM {schema}.outbox_claim
                 WHERE id IN (SELECT id
                                FROM {schema}.outbox_claim
                               WHERE stream = ?
                                 AND locked_until < clock_timestamp()
                                 FOR UPDATE SKIP LOCKED)
                RETURNING id, worker, event_ids
            ), unsettled AS (
                SELECT o.id, expired.id AS claim_id
                  FROM expired
                  JOIN {schema}.outbox_unpublished o ON o.id = ANY (expired.event_ids)
                 WHERE o.dispatched_at IS NULL
                 ORDER BY o.id
                   FOR UPDATE OF o SKIP LOCKED
            ), counted AS (
                UPDATE {schema}.outbox_unpublished o
                   SET attempt_count = o.attempt_count + 1,
                       last_attempt_at = clock_timestamp(),
                       last_error_code = 'LEASE_EXPIRED'
                  FROM unsettled
                 WHERE o.id = unsettled.id
                RETURNING unsettled.claim_id
            )
            SELECT expired.worker,
                   (SELECT count(*) FROM counted WHERE counted.claim_id = expired.id)
              FROM expired
            """;

    /**
     * Relies on outbox_unpublished_pending, in its order; on outbox_delivery_lane_head for the blocked handlers. The comparisons of
     * pairs keep the planner from the primary key, in whose order it would come across every event that was dispatched and waits.
     * The hashed NOT IN keep the order, and what is claimed of it is marked, not joined: the queue may have been empty when its
     * statistics were taken. A collision of hashes only makes an aggregate wait. A row that somebody else holds locked is skipped,
     * and so are all later ones of its aggregate (passed_over); these come back without a claim id.
     */
    static final String CLAIM = """
            WITH batch AS MATERIALIZED (
                SELECT o.id, o.event_id, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type,
                       o.schema_version, o.payload, o.headers, o.occurred_at, o.attempt_count,
                       hashtextextended(o.aggregate_type || chr(31) || o.aggregate_id, 0) AS aggregate
                  FROM {schema}.outbox_unpublished o
                 WHERE (o.stream, o.id) >= (?, 0)
                   AND (o.stream, o.id) <= (?, 9223372036854775807)
                   AND o.dispatched_at IS NULL
                   AND hashtextextended(o.aggregate_type || chr(31) || o.aggregate_id, 0)
                       NOT IN (SELECT unnest(c.aggregates) FROM {schema}.outbox_claim c WHERE c.stream = ?
                                UNION ALL
                               SELECT unnest(?::bigint[]))
                   AND EXISTS (SELECT FROM {schema}.outbox_stream s WHERE s.stream = ? AND NOT s.paused)
                 ORDER BY o.stream, o.id
                 LIMIT ?
                   FOR UPDATE OF o SKIP LOCKED
            ), passed_over AS MATERIALIZED (
                SELECT hashtextextended(o.aggregate_type || chr(31) || o.aggregate_id, 0) AS aggregate, min(o.id) AS id
                  FROM {schema}.outbox_unpublished o
                 WHERE (o.stream, o.id) >= (?, 0)
                   AND (o.stream, o.id) <= (?, (SELECT max(batch.id) FROM batch))
                   AND o.dispatched_at IS NULL
                   AND o.id NOT IN (SELECT batch.id FROM batch)
                 GROUP BY 1
            ), checked AS MATERIALIZED (
                SELECT batch.*,
                       batch.aggregate NOT IN (SELECT p.aggregate FROM passed_over p)
                       OR batch.id < (SELECT p.id FROM passed_over p WHERE p.aggregate = batch.aggregate) AS claimable
                  FROM batch
            ), claim AS (
                INSERT INTO {schema}.outbox_claim (stream, worker, locked_until, event_ids, aggregates)
                SELECT ?, ?, clock_timestamp() + ? * interval '1 millisecond', ids.event_ids, ids.aggregates
                  FROM (SELECT array_agg(c.id ORDER BY c.id) AS event_ids, array_agg(DISTINCT c.aggregate) AS aggregates
                          FROM checked c
                         WHERE c.claimable) ids
                 WHERE ids.event_ids IS NOT NULL
                RETURNING id
            )
            SELECT {envelope},
                   o.attempt_count,
                   ARRAY(SELECT d.handler_id
                           FROM {schema}.outbox_delivery d
                          WHERE d.aggregate_type = o.aggregate_type
                            AND d.aggregate_id = o.aggregate_id
                            AND d.head),
                   o.aggregate,
                   CASE WHEN o.claimable THEN (SELECT claim.id FROM claim) END
              FROM checked o
             ORDER BY o.id
            """;

    /** Relies on outbox_delivery_next_due, in its order, once for each handler. */
    static final String UNTIL_NEXT_DELIVERY = """
            SELECT ceil(extract(epoch FROM d.next_retry_at - clock_timestamp()) * 1000)::bigint
              FROM unnest(?::text[], ?::text[]) AS h (handler_id, event_types)
             CROSS JOIN LATERAL (SELECT d.next_retry_at
                                   FROM {schema}.outbox_delivery d
                                  WHERE d.stream = ?
                                    AND d.handler_id = h.handler_id
                                    AND d.status = 'DUE'
                                    AND (h.event_types = '*' OR d.event_type = ANY (string_to_array(h.event_types, ',')))
                                    AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp())
                                  ORDER BY d.next_retry_at
                                  LIMIT 1) d
             ORDER BY d.next_retry_at
             LIMIT 1
            """;

    /** Relies on outbox_claim_pk. */
    private static final String RENEW = """
            UPDATE {schema}.outbox_claim
               SET locked_until = clock_timestamp() + ? * interval '1 millisecond'
             WHERE id = ANY (?)
            RETURNING id
            """;

    /** Relies on outbox_claim_pk. */
    private static final String RELEASE = """
            DELETE FROM {schema}.outbox_claim
             WHERE id = ?
            """;

    private final DataSource dataSource;
    private final Pipeline claim;
    private final Pipeline renew;
    private final Pipeline release;

    /**
     * Creates a store.
     *
     * @param dataSource where the tables are
     * @param schema the schema that holds them
     */
    public ClaimStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.claim = new Pipeline(schema, LOCK_STREAM, DROP_EXPIRED, CLAIM, UNTIL_NEXT_DELIVERY);
        this.renew = new Pipeline(schema, RENEW);
        this.release = new Pipeline(schema, RELEASE);
    }

    /**
     * Claims the oldest events of a stream that are free, in one transaction and one round trip. An event is free if it was
     * not dispatched, its aggregate is in no live claim, and nobody holds a row of an earlier event of its aggregate locked.
     *
     * @param request what to claim
     * @return what was found; empty if the stream is not known to the database yet
     * @throws SQLException if the database refused or could not be reached; nothing is claimed then
     */
    public Optional<ClaimRound> claim(Request request) throws SQLException {
        return claim.run(
                dataSource,
                (parameters) -> parameters
                        .add(request.stream())
                        .add(request.stream())
                        .add(
                                request.stream(),
                                request.stream(),
                                request.stream(),
                                longs(request.held()),
                                request.stream(),
                                request.batchSize())
                        .add(request.stream(), request.stream())
                        .add(request.stream(), request.worker(), request.lease().toMillis())
                        .add(request.handlers().ids(), request.handlers().eventTypes())
                        .add(request.stream()),
                ClaimStore::readRound);
    }

    /**
     * What to claim.
     *
     * @param stream the stream
     * @param worker who claims, for people to read
     * @param batchSize at most how many events
     * @param lease how long the claim is valid unless renewed
     * @param held hashes of aggregates to leave out, from an earlier {@link ClaimRound#heldAggregates()}
     * @param handlers the handlers that this process has, whose next delivery is of interest
     */
    public record Request(
            String stream, String worker, int batchSize, Duration lease, Set<Long> held, ActiveHandlers handlers) {}

    private static Optional<ClaimRound> readRound(Pipeline.Results results) throws SQLException {
        ResultSet stream = results.rows();
        if (!stream.next()) {
            return Optional.empty();
        }
        long registryVersion = stream.getLong(1);
        List<ClaimRound.ExpiredClaim> expired = new ArrayList<>();
        ResultSet dropped = results.rows();
        while (dropped.next()) {
            expired.add(new ClaimRound.ExpiredClaim(dropped.getString(1), dropped.getInt(2)));
        }
        Batch batch = Batch.read(results.rows());
        ResultSet due = results.rows();
        Optional<Duration> untilNext = due.next() ? Optional.of(Duration.ofMillis(due.getLong(1))) : Optional.empty();
        return Optional.of(new ClaimRound(batch.claim(), registryVersion, batch.held, expired, untilNext));
    }

    /** The rows of {@link #CLAIM}. */
    private static final class Batch {

        private final List<ClaimedEvent> events = new ArrayList<>();
        private final Set<Long> held = new HashSet<>();
        private long claimId;

        static Batch read(ResultSet rows) throws SQLException {
            Batch batch = new Batch();
            while (rows.next()) {
                batch.add(rows);
            }
            return batch;
        }

        private void add(ResultSet row) throws SQLException {
            int column = EventRow.NEXT_COLUMN;
            long claim = row.getLong(column + 3);
            if (row.wasNull()) {
                held.add(row.getLong(column + 2));
                return;
            }
            claimId = claim;
            String[] blocked = (String[]) row.getArray(column + 1).getArray();
            events.add(new ClaimedEvent(EventRow.read(row), row.getInt(column), Set.of(blocked)));
        }

        @Nullable
        Claim claim() {
            return events.isEmpty() ? null : new Claim(claimId, events);
        }
    }

    /**
     * Renews leases.
     *
     * @param claims the claims
     * @param lease the time from now until they expire
     * @return the claims that still exist and were renewed
     * @throws SQLException if the database refused or could not be reached
     */
    public Set<Long> renew(Set<Long> claims, Duration lease) throws SQLException {
        return renew.run(
                dataSource, (parameters) -> parameters.add(lease.toMillis(), longs(claims)), ClaimStore::readIds);
    }

    /**
     * Gives a claim up: what is unsettled is free again at once, without an attempt being counted.
     *
     * @param claimId the claim
     * @throws SQLException if the database refused or could not be reached
     */
    public void release(long claimId) throws SQLException {
        release.run(dataSource, (parameters) -> parameters.add(claimId), Pipeline.Results::updated);
    }

    private static Set<Long> readIds(Pipeline.Results results) throws SQLException {
        Set<Long> ids = new HashSet<>();
        ResultSet rows = results.rows();
        while (rows.next()) {
            ids.add(rows.getLong(1));
        }
        return ids;
    }

    private static long[] longs(Set<Long> values) {
        return values.stream().mapToLong(Long::longValue).toArray();
    }
}
