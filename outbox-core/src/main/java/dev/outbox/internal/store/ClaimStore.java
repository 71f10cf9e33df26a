package dev.outbox.internal.store;

import dev.outbox.internal.delivery.Claim;
import dev.outbox.internal.delivery.ClaimKey;
import dev.outbox.internal.delivery.ClaimRound;
import dev.outbox.internal.delivery.ClaimedEvent;
import dev.outbox.internal.delivery.Fence;
import dev.outbox.internal.delivery.RegistryVersion;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Claims batches of a stream, and renews, confirms and releases claims. */
public final class ClaimStore {

    /** A claim that still belongs to its worker: with its token, and in the incarnation of the database in which it was made. */
    static final String HELD = """
            c.id = :claim
               AND c.token = :token
               AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = :incarnation)""";

    /** Relies on outbox_claim_pk. */
    private static final String RENEW = """
            UPDATE {schema}.outbox_claim c
               SET locked_until = clock_timestamp() + :lease * interval '1 millisecond'
             WHERE\s""" + HELD;

    /** Relies on outbox_claim_pk. */
    private static final String CONFIRM = """
            SELECT count(*)
              FROM {schema}.outbox_claim c
             WHERE c.locked_until > clock_timestamp()
               AND\s""" + HELD;

    /** Relies on outbox_claim_pk. */
    private static final String RELEASE = """
            DELETE FROM {schema}.outbox_claim
             WHERE id = :claim
               AND token = :token
            """;

    /** Separates the ids of blocked handlers, and cannot be part of one. */
    private static final String SEPARATOR = "\u001f";

    /** After a claim meets a locked row, the next ones skip such rows instead of failing on each. */
    private static final Duration SKIP_LOCKED_PERIOD = Duration.ofSeconds(10);

    /** Payload bytes, as text, after which a claim takes no further event: a batch has to fit into the heap. */
    private static final long MOST_BYTES = 8 * 1024 * 1024L;

    private final DataSource dataSource;
    private final Variants advancing;
    private final Variants plain;
    private final Pipeline renew;
    private final Pipeline confirm;
    private final Pipeline release;
    private volatile long skipLockedUntil = System.nanoTime();

    private record Variants(Pipeline failing, Pipeline skipping) {

        static Variants of(OutboxSchema schema, String... window) {
            return new Variants(
                    pipeline(schema, ClaimSql.CLAIM, window), pipeline(schema, ClaimSql.CLAIM_SKIP_LOCKED, window));
        }

        private static Pipeline pipeline(OutboxSchema schema, String claim, String... window) {
            Stream<String> claiming = Stream.of(ClaimSql.DROP_EXPIRED, claim, LaneSql.UNTIL_NEXT_DELIVERY);
            return new Pipeline(
                    schema, Stream.concat(Stream.of(window), claiming).toArray(String[]::new));
        }
    }

    public ClaimStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.advancing = Variants.of(schema, ClaimSql.READ_LAST_ID, ClaimSql.LOCK_STREAM, ClaimSql.ADVANCE_WINDOW);
        this.plain = Variants.of(schema, ClaimSql.LOCK_STREAM);
        this.renew = new Pipeline(schema, RENEW);
        this.confirm = new Pipeline(schema, CONFIRM);
        this.release = new Pipeline(schema, RELEASE);
    }

    /** Start position of a claim. */
    public enum Window {
        /** At the low-water mark. */
        AS_IT_IS,
        /** At the low-water mark, which is advanced first if it can be. */
        ADVANCED,
        /** At the beginning of the queue; the low-water mark is advanced too. */
        WHOLE_QUEUE
    }

    /** Parameters of a claim. */
    public record Request(
            String stream,
            String worker,
            int batchSize,
            Duration lease,
            Set<Long> held,
            ActiveHandlers handlers,
            ScanLimit.Reach reach,
            Window window) {

        /** Requests events from the low-water mark on. */
        public Request(
                String stream, String worker, int batchSize, Duration lease, Set<Long> held, ActiveHandlers handlers) {
            this(stream, worker, batchSize, lease, held, handlers, ScanLimit.Reach.EVERYTHING, Window.ADVANCED);
        }
    }

    /**
     * Claims the oldest available events of a stream. An event is available if it was not dispatched, its aggregate is in no live claim,
     * and no other session holds a row of an earlier event of its aggregate locked.
     */
    public Optional<ClaimRound> claim(Request request) throws SQLException {
        Variants variants = request.window() == Window.AS_IT_IS ? plain : advancing;
        if (System.nanoTime() - skipLockedUntil < 0) {
            return claim(variants.skipping(), request);
        }
        try {
            return claim(variants.failing(), request);
        } catch (SQLException ex) {
            if (!Pipeline.isLocked(ex)) {
                throw ex;
            }
            skipLockedUntil = System.nanoTime() + SKIP_LOCKED_PERIOD.toNanos();
            return claim(variants.skipping(), request);
        }
    }

    private Optional<ClaimRound> claim(Pipeline pipeline, Request request) throws SQLException {
        UUID token = UUID.randomUUID();
        boolean advances = request.window() != Window.AS_IT_IS;
        return pipeline.run(
                dataSource,
                (parameters) -> parameters
                        .set("stream", request.stream())
                        .set("whole_queue", request.window() == Window.WHOLE_QUEUE)
                        .set("from", request.reach().from())
                        .set("near", request.reach().near())
                        .set("depth", request.reach().depth())
                        .setLongs("held", request.held(), Long::longValue)
                        .set("batch_size", request.batchSize())
                        .set("most_bytes", MOST_BYTES)
                        .set("token", token)
                        .set("worker", request.worker())
                        .set("lease", request.lease().toMillis())
                        .set("handler_ids", request.handlers().ids())
                        .set("event_types", request.handlers().eventTypes()),
                (results) -> readRound(results, token, advances));
    }

    private static Optional<ClaimRound> readRound(Pipeline.Results results, UUID token, boolean advances)
            throws SQLException {
        results.skip(advances ? 1 : 0);
        ResultSet stream = results.rows();
        if (!stream.next()) {
            return Optional.empty();
        }
        UUID incarnation = stream.getObject(2, UUID.class);
        RegistryVersion registry = new RegistryVersion(incarnation + " " + stream.getString(3), stream.getLong(1));
        boolean isLong = stream.getBoolean(4);
        results.skip(advances ? 1 : 0);
        List<ClaimRound.ExpiredClaim> expired = new ArrayList<>();
        for (ResultSet row = results.rows(); row.next(); ) {
            expired.add(new ClaimRound.ExpiredClaim(row.getString(1), row.getInt(2)));
        }
        Batch batch = new Batch();
        for (ResultSet row = results.rows(); row.next(); ) {
            batch.add(row);
        }
        ResultSet due = results.rows();
        Optional<Duration> untilNext = due.next() ? Optional.of(Duration.ofMillis(due.getLong(1))) : Optional.empty();
        Fence fence = new Fence(token, incarnation);
        Claim claim = batch.events.isEmpty() ? null : new Claim(new ClaimKey(batch.claimId, fence), batch.events);
        return Optional.of(new ClaimRound(claim, registry, batch.held, expired, untilNext, isLong, batch.isCut));
    }

    /** Rows of {@link ClaimSql#CLAIM}. */
    private static final class Batch {

        private final List<ClaimedEvent> events = new ArrayList<>();
        private final Set<Long> held = new HashSet<>();
        private long claimId;
        private boolean isCut;

        private void add(ResultSet row) throws SQLException {
            int column = EventRow.NEXT_COLUMN;
            long claim = row.getLong(column + 3);
            if (row.wasNull()) {
                held.add(row.getLong(column + 2));
                return;
            }
            claimId = claim;
            isCut = row.getBoolean(column + 4);
            String blocked = row.getString(column + 1);
            events.add(new ClaimedEvent(
                    EventRow.read(row),
                    row.getInt(column),
                    blocked == null ? Set.of() : Set.of(blocked.split(SEPARATOR))));
        }
    }

    /** Renews a lease. */
    public boolean renew(ClaimKey claim, Duration lease) throws SQLException {
        return renew.run(
                dataSource,
                (parameters) -> bindFence(parameters.set("lease", lease.toMillis()), claim),
                (results) -> results.updated() == 1);
    }

    /** Returns whether a claim still belongs to its worker, and has not expired. */
    public boolean confirm(ClaimKey claim) throws SQLException {
        return confirm.run(dataSource, (parameters) -> bindFence(parameters, claim), (results) -> {
            ResultSet count = results.rows();
            count.next();
            return count.getInt(1) == 1;
        });
    }

    /** Releases a claim: its unsettled events are available again at once, without an attempt being counted. */
    public void release(ClaimKey claim) throws SQLException {
        release.run(
                dataSource,
                (parameters) -> parameters
                        .set("claim", claim.id())
                        .set("token", claim.fence().token()),
                Pipeline.Results::updated);
    }

    static NamedSql.Parameters bindFence(NamedSql.Parameters parameters, ClaimKey claim) throws SQLException {
        return parameters
                .set("claim", claim.id())
                .set("token", claim.fence().token())
                .set("incarnation", claim.fence().incarnation());
    }
}
