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

    /** Cannot be part of a handler's id. */
    private static final String SEPARATOR = "\u001f";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /** Who has met a locked row reckons with more, and need not be refused every time. */
    private static final Duration WARINESS = Duration.ofSeconds(10);

    private final DataSource dataSource;
    private final Pipeline claim;
    private final Pipeline claimUnlocked;
    private final Pipeline renew;
    private final Pipeline release;
    private volatile long someRowIsLockedUntil = System.nanoTime();

    /**
     * Creates a store.
     *
     * @param dataSource where the tables are
     * @param schema the schema that holds them
     */
    public ClaimStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.claim = pipeline(schema, ClaimSql.CLAIM);
        this.claimUnlocked = pipeline(schema, ClaimSql.CLAIM_UNLOCKED);
        this.renew = new Pipeline(schema, ClaimSql.RENEW);
        this.release = new Pipeline(schema, ClaimSql.RELEASE);
    }

    private static Pipeline pipeline(OutboxSchema schema, String claim) {
        return new Pipeline(schema, ClaimSql.LOCK_STREAM, ClaimSql.DROP_EXPIRED, claim, ClaimSql.UNTIL_NEXT_DELIVERY);
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
        if (System.nanoTime() - someRowIsLockedUntil < 0) {
            return claim(claimUnlocked, request);
        }
        try {
            return claim(claim, request);
        } catch (SQLException ex) {
            if (!LOCK_NOT_AVAILABLE.equals(ex.getSQLState())) {
                throw ex;
            }
            someRowIsLockedUntil = System.nanoTime() + WARINESS.toNanos();
            return claim(claimUnlocked, request);
        }
    }

    private Optional<ClaimRound> claim(Pipeline pipeline, Request request) throws SQLException {
        return pipeline.run(
                dataSource,
                (parameters) -> bind(parameters, request, pipeline == claimUnlocked),
                ClaimStore::readRound);
    }

    private static void bind(Pipeline.Parameters parameters, Request request, boolean unlocked) throws SQLException {
        String stream = request.stream();
        long firstClaim = request.start().claim();
        bindStart(parameters, request)
                .add(Long.toString(request.question()))
                .add(stream, request.reach().from(), request.reach().near(), stream)
                .add(firstClaim, stream, stream)
                .add(firstClaim, stream);
        bindStart(parameters, request)
                .add(stream, stream, request.reach().from(), request.reach().depth())
                .add(firstClaim, stream, longs(request.held()), stream, request.batchSize());
        if (unlocked) {
            parameters.add(stream, stream);
        }
        parameters
                .add(stream, request.worker(), request.lease().toMillis())
                .add(request.handlers().ids(), request.handlers().eventTypes(), stream);
    }

    private static Pipeline.Parameters bindStart(Pipeline.Parameters parameters, Request request) throws SQLException {
        ScanStart start = request.start();
        return parameters
                .add(Long.toString(start.before()), start.running(), start.recent(), start.exact())
                .add(request.stream(), request.stream());
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
     * @param start where to begin
     * @param reach how far to look
     * @param question the transaction of which {@link Sighting#running()} is to say how many earlier ones are running
     */
    public record Request(
            String stream,
            String worker,
            int batchSize,
            Duration lease,
            Set<Long> held,
            ActiveHandlers handlers,
            ScanStart start,
            ScanReach reach,
            long question) {

        /**
         * Claims from the whole queue.
         *
         * @param stream the stream
         * @param worker who claims
         * @param batchSize at most how many events
         * @param lease how long the claim is valid
         * @param held hashes of aggregates to leave out
         * @param handlers the handlers whose next delivery is of interest
         */
        public Request(
                String stream, String worker, int batchSize, Duration lease, Set<Long> held, ActiveHandlers handlers) {
            this(stream, worker, batchSize, lease, held, handlers, ScanStart.EVERYTHING, ScanReach.EVERYTHING, 0);
        }
    }

    private static Optional<ClaimRound> readRound(Pipeline.Results results) throws SQLException {
        ResultSet stream = results.rows();
        if (!stream.next()) {
            return Optional.empty();
        }
        long registryVersion = stream.getLong(1);
        Sighting sighting = new Sighting(
                stream.getLong(2),
                stream.getInt(3),
                stream.getObject(4, Long.class),
                stream.getBoolean(5),
                stream.getObject(6, Long.class));
        List<ClaimRound.ExpiredClaim> expired = new ArrayList<>();
        ResultSet dropped = results.rows();
        while (dropped.next()) {
            expired.add(new ClaimRound.ExpiredClaim(dropped.getString(1), dropped.getInt(2)));
        }
        Batch batch = Batch.read(results.rows());
        ResultSet due = results.rows();
        Optional<Duration> untilNext = due.next() ? Optional.of(Duration.ofMillis(due.getLong(1))) : Optional.empty();
        return Optional.of(new ClaimRound(batch.claim(), registryVersion, batch.held, expired, untilNext, sighting));
    }

    /** The rows of {@link ClaimSql#CLAIM}. */
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
            String blocked = row.getString(column + 1);
            events.add(new ClaimedEvent(
                    EventRow.read(row),
                    row.getInt(column),
                    blocked == null ? Set.of() : Set.of(blocked.split(SEPARATOR))));
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
