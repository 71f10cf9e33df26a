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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Claims batches of a stream, and keeps, gives up and drops claims. */
public final class ClaimStore {

    /** Cannot be part of a handler's id. */
    private static final String SEPARATOR = "\u001f";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /** Who has met a locked row reckons with more, and need not be refused every time. */
    private static final Duration WARINESS = Duration.ofSeconds(10);

    /** Payload bytes, as text, after which a claim takes no further event: a batch has to fit into the heap. */
    private static final long MOST_BYTES = 8 * 1024 * 1024L;

    private final DataSource dataSource;
    private final Map<Variant, Pipeline> pipelines = new HashMap<>();
    private final Pipeline renew;
    private final Pipeline confirm;
    private final Pipeline release;
    private volatile long someRowIsLockedUntil = System.nanoTime();

    /** Creates a store. */
    public ClaimStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        for (boolean advances : new boolean[] {false, true}) {
            pipelines.put(new Variant(advances, false), pipeline(schema, advances, ClaimSql.CLAIM));
            pipelines.put(new Variant(advances, true), pipeline(schema, advances, ClaimSql.CLAIM_UNLOCKED));
        }
        this.renew = new Pipeline(schema, ClaimSql.RENEW);
        this.confirm = new Pipeline(schema, ClaimSql.CONFIRM);
        this.release = new Pipeline(schema, ClaimSql.RELEASE);
    }

    private static Pipeline pipeline(OutboxSchema schema, boolean advances, String claim) {
        List<String> statements = new ArrayList<>();
        if (advances) {
            statements.add(ClaimSql.READ_LAST_ID);
        }
        statements.add(ClaimSql.LOCK_STREAM);
        if (advances) {
            statements.add(ClaimSql.ADVANCE_WINDOW);
        }
        statements.addAll(List.of(ClaimSql.DROP_EXPIRED, claim, ClaimSql.UNTIL_NEXT_DELIVERY));
        return new Pipeline(schema, statements.toArray(String[]::new));
    }

    /**
     * Claims the oldest events of a stream that are free, in one transaction and one round trip. An event is free if it was
     * not dispatched, its aggregate is in no live claim, and nobody holds a row of an earlier event of its aggregate locked.
     */
    public Optional<ClaimRound> claim(Request request) throws SQLException {
        if (System.nanoTime() - someRowIsLockedUntil < 0) {
            return claim(request, true);
        }
        try {
            return claim(request, false);
        } catch (SQLException ex) {
            if (!LOCK_NOT_AVAILABLE.equals(ex.getSQLState())) {
                throw ex;
            }
            someRowIsLockedUntil = System.nanoTime() + WARINESS.toNanos();
            return claim(request, true);
        }
    }

    private Optional<ClaimRound> claim(Request request, boolean unlocked) throws SQLException {
        UUID token = UUID.randomUUID();
        boolean advances = request.window() != Window.AS_IT_IS;
        Pipeline pipeline = Objects.requireNonNull(pipelines.get(new Variant(advances, unlocked)));
        return pipeline.run(
                dataSource,
                (parameters) -> bind(parameters, request, token),
                (results) -> readRound(results, token, advances));
    }

    private static void bind(NamedSql.Parameters parameters, Request request, UUID token) throws SQLException {
        ScanReach reach = request.reach();
        parameters
                .set("stream", request.stream())
                .set("whole_queue", request.window() == Window.WHOLE_QUEUE)
                .set("from", reach.from())
                .set("near", reach.near())
                .set("depth", reach.depth())
                .setLongs("held", request.held(), Long::longValue)
                .set("batch_size", request.batchSize())
                .set("most_bytes", MOST_BYTES)
                .set("token", token)
                .set("worker", request.worker())
                .set("lease", request.lease().toMillis())
                .set("handler_ids", request.handlers().ids())
                .set("event_types", request.handlers().eventTypes());
    }

    /** Where a claim starts. */
    public enum Window {
        /** At the low-water mark. */
        AS_IT_IS,
        /** At the low-water mark, which is advanced first if it can be. */
        ADVANCED,
        /** At the beginning of the queue; the low-water mark is advanced too. */
        WHOLE_QUEUE
    }

    private record Variant(boolean advances, boolean unlocked) {}

    /** What to claim. */
    public record Request(
            String stream,
            String worker,
            int batchSize,
            Duration lease,
            Set<Long> held,
            ActiveHandlers handlers,
            ScanReach reach,
            Window window) {

        /** Looks at everything from the low-water mark on. */
        public Request(
                String stream, String worker, int batchSize, Duration lease, Set<Long> held, ActiveHandlers handlers) {
            this(stream, worker, batchSize, lease, held, handlers, ScanReach.EVERYTHING, Window.ADVANCED);
        }
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
        ResultSet dropped = results.rows();
        while (dropped.next()) {
            expired.add(new ClaimRound.ExpiredClaim(dropped.getString(1), dropped.getInt(2)));
        }
        Batch batch = Batch.read(results.rows());
        ResultSet due = results.rows();
        Optional<Duration> untilNext = due.next() ? Optional.of(Duration.ofMillis(due.getLong(1))) : Optional.empty();
        Claim claim = batch.claim(new Fence(token, incarnation));
        return Optional.of(new ClaimRound(claim, registry, batch.held, expired, untilNext, isLong, batch.isCut));
    }

    /** The rows of {@link ClaimSql#CLAIM}. */
    private static final class Batch {

        private final List<ClaimedEvent> events = new ArrayList<>();
        private final Set<Long> held = new HashSet<>();
        private long claimId;
        private boolean isCut;

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
            isCut = row.getBoolean(column + 4);
            String blocked = row.getString(column + 1);
            events.add(new ClaimedEvent(
                    EventRow.read(row),
                    row.getInt(column),
                    blocked == null ? Set.of() : Set.of(blocked.split(SEPARATOR))));
        }

        @Nullable
        Claim claim(Fence fence) {
            return events.isEmpty() ? null : new Claim(new ClaimKey(claimId, fence), events);
        }
    }

    /** Renews a lease. */
    public boolean renew(ClaimKey claim, Duration lease) throws SQLException {
        return renew.run(
                dataSource,
                (parameters) -> bindFence(parameters.set("lease", lease.toMillis()), claim),
                (results) -> results.updated() == 1);
    }

    /** Asks whether a claim is still its worker's, and has not expired. */
    public boolean confirm(ClaimKey claim) throws SQLException {
        return confirm.run(dataSource, (parameters) -> bindFence(parameters, claim), (results) -> {
            ResultSet count = results.rows();
            count.next();
            return count.getInt(1) == 1;
        });
    }

    /** Gives a claim up: what is unsettled is free again at once, without an attempt being counted. */
    public void release(ClaimKey claim) throws SQLException {
        release.run(
                dataSource,
                (parameters) -> parameters
                        .set("claim", claim.id())
                        .set("token", claim.fence().token()),
                Pipeline.Results::updated);
    }

    static NamedSql.Parameters bindFence(NamedSql.Parameters parameters, ClaimKey claim) throws SQLException {
        Fence fence = claim.fence();
        return parameters.set("claim", claim.id()).set("token", fence.token()).set("incarnation", fence.incarnation());
    }
}
