package dev.outbox.internal.claim;

import dev.outbox.internal.dispatch.Dispatcher.ClaimedEvent;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.lane.LaneSql;
import dev.outbox.internal.lane.SingleEventStore;
import dev.outbox.internal.lease.ClaimKey;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.lease.LeaseStore.Expired;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.schema.SequenceCheck;
import dev.outbox.internal.sql.EventRow;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Claims batches of events of a stream. */
final class ClaimStore {

    static final String READ_LAST_ID = sql("last id");
    static final String LOCK_STREAM = sql("stream").replace("{expired}", LeaseStore.EXPIRED);
    static final String FIND_LAGGING = sql("sequences");
    static final String ADVANCE_WINDOW = sql("window");
    static final String CLAIM =
            sql("claim").replace("{envelope}", EventRow.columnsWithoutPayload(":alone OR o.attempt_count > 1"));

    /** Separates the ids of blocked handlers, and cannot be part of one. */
    private static final String SEPARATOR = "\u001f";

    /** Payload bytes, as text, after which a claim takes no further event: a batch has to fit into the heap. */
    private static final long MOST_BYTES = 8 * 1024 * 1024L;

    /** For the whole queue, or a deep look into it, once the server has ended one. Both rest the longer, the longer they take. */
    private static final Duration LONGEST_FAR_CLAIM = Duration.ofMinutes(1);

    private final DataSource dataSource;
    private final OutboxSchema schema;

    /** Whether a sequence lagged and could not be moved: every claim looks again. */
    private volatile boolean lagging;

    /** Whether the last claim has seen claims that have expired. */
    private volatile boolean expiredFound;

    private final Pipeline advancing;
    private final Pipeline farAdvancing;
    private final Pipeline plain;
    private final Pipeline farPlain;
    private boolean patient;
    private final LeaseStore leases;
    private final SingleEventStore reader;

    ClaimStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.schema = schema;
        this.advancing = claiming(schema, READ_LAST_ID, LOCK_STREAM, FIND_LAGGING, ADVANCE_WINDOW);
        this.farAdvancing = advancing.lasting(LONGEST_FAR_CLAIM);
        this.plain = claiming(schema, LOCK_STREAM);
        this.farPlain = plain.lasting(LONGEST_FAR_CLAIM);
        this.leases = new LeaseStore(dataSource, schema);
        this.reader = new SingleEventStore(dataSource, schema);
    }

    private static String sql(String result) {
        return NamedSql.of(ClaimStore.class, "claim.sql", result);
    }

    private static Pipeline claiming(OutboxSchema schema, String... window) {
        Stream<String> claim = Stream.of(CLAIM, LaneSql.UNTIL_NEXT);
        return new Pipeline(schema, Stream.concat(Stream.of(window), claim).toArray(String[]::new));
    }

    /** Start position of a claim. */
    enum Window {
        /** At the low-water mark. */
        AS_IT_IS,
        /** At the low-water mark, which is advanced first if it can be. */
        ADVANCED,
        /** At the beginning of the queue; the low-water mark is advanced too. */
        WHOLE_QUEUE
    }

    /** Parameters of a claim. */
    record Request(
            String stream,
            String worker,
            int batchSize,
            Duration lease,
            ActiveHandlers handlers,
            ScanLimit.Reach reach,
            Window window,
            OffsetDateTime dueFrom,
            Set<Long> ownClaims) {

        boolean isFar() {
            return window == Window.WHOLE_QUEUE || reach.isDeep();
        }
    }

    /** A batch of events that belongs to one worker until it settles them or its lease expires. */
    record Claim(ClaimKey key, List<ClaimedEvent> events) {

        Claim {
            events = List.copyOf(events);
        }
    }

    /**
     * Result of a claim transaction, with the aggregates of which it skipped a row, and the time that the server looked for events. No lane
     * that is due was due before {@code dueFrom}.
     */
    record Round(
            @Nullable Claim claim,
            HandlerRegistry.Version registry,
            Set<Long> skipped,
            List<Expired> expired,
            Optional<Duration> untilNextDelivery,
            OffsetDateTime dueFrom,
            Duration looked,
            boolean isLong,
            boolean isCut,
            boolean expiredFound) {

        /** Returns the round of a claim of one event, as it was read. */
        Round with(ClaimedEvent event) {
            Claim read = claim == null ? null : new Claim(claim.key(), List.of(event));
            return new Round(
                    read, registry, skipped, expired, untilNextDelivery, dueFrom, looked, isLong, isCut, expiredFound);
        }

        /** Returns the claimed events. */
        List<ClaimedEvent> events() {
            return claim == null ? List.of() : claim.events();
        }
    }

    /**
     * Claims the oldest available events of a stream. An event is available if it was not dispatched, its aggregate is in no live claim,
     * and no other session holds a row of an earlier event of its aggregate locked. If all events that a claim reads follow locked ones, it
     * is repeated without their aggregates, so that these delay no other.
     */
    Optional<Round> claim(Request request) throws SQLException {
        return claim(request, false);
    }

    /** Claims one event, and then reads it. One that cannot be read comes with the failure and without its payload. */
    Optional<Round> claimAlone(Request request) throws SQLException {
        Optional<Round> found = claim(request, true);
        Claim claim = found.map(Round::claim).orElse(null);
        if (claim == null || claim.events().get(0).isSuspect()) {
            return found;
        }
        try {
            ClaimedEvent event = claim.events().get(0);
            SingleEventStore.Read read = reader.read(event.envelope());
            return found.map((round) -> round.with(event.with(read.envelope(), read.failure())));
        } catch (SQLException | RuntimeException | Error ex) {
            leases.release(claim.key());
            throw ex;
        }
    }

    private Optional<Round> claim(Request request, boolean alone) throws SQLException {
        Set<Long> leftOut = new HashSet<>();
        List<Expired> expired = new ArrayList<>();
        endExpired(request, expired);
        try {
            while (true) {
                Optional<Round> found = attempt(request, alone, leftOut, expired);
                Round round = found.orElse(null);
                expiredFound = round != null && round.expiredFound();
                boolean more = round != null
                        && round.claim() == null
                        && (leftOut.addAll(round.skipped()) || endExpired(request, expired));
                if (!more) {
                    return found;
                }
            }
        } catch (SQLException ex) {
            patient |= request.isFar() && Causes.isTooLong(ex);
            throw ex;
        }
    }

    /** Ends the expired claims that the last claim has seen; returns whether that has freed anything. */
    private boolean endExpired(Request request, List<Expired> expired) throws SQLException {
        if (!expiredFound) {
            return false;
        }
        expiredFound = false;
        return expired.addAll(leases.endExpired(request.stream(), request.ownClaims()));
    }

    /** Compares the sequences with their tables once: a claim that still finds one behind fails. */
    private Optional<Round> attempt(Request request, boolean alone, Set<Long> leftOut, List<Expired> expired)
            throws SQLException {
        try {
            return attemptOnce(request, alone, leftOut, expired);
        } catch (LaggingSequence ex) {
            lagging = true;
            new SequenceCheck(dataSource, schema, schema).run();
            lagging = false;
            return attemptOnce(request, alone, leftOut, expired);
        }
    }

    /** One transaction of a claim. Gives back at once what was claimed and could not be read. */
    private Optional<Round> attemptOnce(Request request, boolean alone, Set<Long> leftOut, List<Expired> expired)
            throws SQLException {
        UUID token = UUID.randomUUID();
        try {
            return run(request, alone, leftOut, expired, token);
        } catch (SQLException | RuntimeException | Error ex) {
            if (Causes.isUnreadable(ex) && !(ex instanceof LaggingSequence)) {
                leases.releaseUnread(request.stream(), token, ex);
            }
            throw ex;
        }
    }

    private Optional<Round> run(Request request, boolean alone, Set<Long> leftOut, List<Expired> expired, UUID token)
            throws SQLException {
        boolean advances = lagging || request.window() != Window.AS_IT_IS;
        return pipeline(request, advances)
                .run(
                        dataSource,
                        (parameters) -> request.handlers()
                                .bind(parameters)
                                .set("stream", request.stream())
                                .set("whole_queue", request.window() == Window.WHOLE_QUEUE)
                                .set("from", request.reach().from())
                                .set("near", request.reach().near())
                                .set("depth", request.reach().depth())
                                .set("due_from", request.dueFrom())
                                .setLongs("left_out", leftOut, Long::longValue)
                                .set("alone", alone)
                                .setLongs("own_claims", request.ownClaims(), Long::longValue)
                                .set("batch_size", alone ? 1 : request.batchSize())
                                .set("most_bytes", MOST_BYTES)
                                .set("token", token)
                                .set("worker", request.worker())
                                .set("lease", request.lease().toMillis()),
                        (results) -> readRound(results, token, expired, advances));
    }

    private Pipeline pipeline(Request request, boolean advances) {
        boolean far = patient && request.isFar();
        if (advances) {
            return far ? farAdvancing : advancing;
        }
        return far ? farPlain : plain;
    }

    private static Optional<Round> readRound(
            Pipeline.Results results, UUID token, List<Expired> expired, boolean advances) throws SQLException {
        ResultSet stream = results.rows(LOCK_STREAM);
        if (!stream.next()) {
            return Optional.empty();
        }
        UUID incarnation = stream.getObject(2, UUID.class);
        HandlerRegistry.Version registry = new HandlerRegistry.Version(
                incarnation + " " + stream.getString(3), stream.getLong(1), stream.getLong(7));
        boolean isLong = stream.getBoolean(4);
        boolean expiredFound = stream.getBoolean(5);
        if (advances && results.rows(FIND_LAGGING).next()) {
            throw new LaggingSequence();
        }
        Batch batch = new Batch();
        for (ResultSet row = results.rows(CLAIM); row.next(); ) {
            batch.add(row);
        }
        ResultSet due = results.row(LaneSql.UNTIL_NEXT);
        long millis = due.getLong(1);
        Optional<Duration> untilNext = due.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
        OffsetDateTime dueFrom = due.getObject(2, OffsetDateTime.class);
        Duration looked = Duration.of(due.getLong(3), ChronoUnit.MICROS);
        Claim claim = batch.events.isEmpty() ? null : new Claim(new ClaimKey(batch.claimId, token), batch.events);
        return Optional.of(new Round(
                claim,
                registry,
                batch.skipped,
                expired,
                untilNext,
                dueFrom,
                looked,
                isLong,
                batch.isCut,
                expiredFound));
    }

    /** A sequence lags behind ids that are stored, so nothing was claimed. */
    private static final class LaggingSequence extends IllegalStateException {

        private static final long serialVersionUID = 1;

        LaggingSequence() {
            super("a sequence of the outbox lags behind its table");
        }
    }

    /** Rows of {@link #CLAIM}. */
    private static final class Batch {

        private final List<ClaimedEvent> events = new ArrayList<>();
        private final Set<Long> skipped = new HashSet<>();
        private long claimId;
        private boolean isCut;

        private void add(ResultSet row) throws SQLException {
            int column = EventRow.NEXT_COLUMN;
            long aggregate = row.getLong(column + 2);
            if (!row.wasNull()) {
                skipped.add(aggregate);
                return;
            }
            claimId = row.getLong(column + 3);
            isCut = row.getBoolean(column + 4);
            String blocked = row.getString(column + 1);
            events.add(new ClaimedEvent(
                    EventRow.read(row),
                    row.getInt(column),
                    blocked == null ? Set.of() : Set.of(blocked.split(SEPARATOR))));
        }
    }
}
