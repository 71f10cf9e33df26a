package dev.outbox.internal.lease;

import dev.outbox.internal.sql.BoundConnection;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** Renews, confirms and releases claims, and ends those that have expired, whether they have events or lanes. */
public final class LeaseStore {

    /**
     * Condition that the claim {@code c} has expired. A process leaves its own claims to its batches: after an outage, one of them may be
     * settling.
     */
    public static final String EXPIRED = """
            (c.locked_until < clock_timestamp()
                    OR c.incarnation IS DISTINCT FROM (SELECT i.token FROM {schema}.outbox_incarnation i))
                   AND c.id <> ALL (:own_claims::bigint[])""";

    static final String LOCK_EXPIRED = sql("lock").replace("{expired}", EXPIRED);
    static final String END_EXPIRED = sql("end");
    private static final String INCARNATION = sql("incarnation");

    /** Relies on outbox_claim_pk. */
    private static final String RENEW = """
            UPDATE {schema}.outbox_claim c
               SET locked_until = clock_timestamp() + :lease * interval '1 millisecond'
             WHERE\s""" + ClaimKey.HELD;

    /** Relies on outbox_claim_pk. */
    private static final String CONFIRM = """
            SELECT count(*)
              FROM {schema}.outbox_claim c
             WHERE c.locked_until > clock_timestamp()
               AND\s""" + ClaimKey.HELD;

    /** Relies on outbox_claim_pk. An old snapshot knows no renewal since. */
    private static final String CONFIRM_IN = "SELECT count(*) FROM {schema}.outbox_claim c WHERE " + ClaimKey.HELD;

    /** Relies on outbox_claim_pk, outbox_lane_claim and outbox_lane_pk. */
    static final String RELEASE = release(ClaimKey.HELD);

    /** Relies on outbox_stream_pk, outbox_claim_pk, outbox_lane_claim and outbox_lane_pk. */
    static final String RELEASE_UNREAD = release("""
            c.id >= (SELECT s.first_claim FROM {schema}.outbox_stream s WHERE s.stream = :stream)
                   AND c.stream = :stream
                   AND c.token = :token""");

    /** An operator, or a claim, does not wait for a session that has locked what it would free. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final DataSource dataSource;
    private final Pipeline renew;
    private final Pipeline confirm;
    private final NamedSql confirmIn;
    private final Pipeline release;
    private final Pipeline releaseUnread;
    private final Pipeline endExpired;

    public LeaseStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.renew = new Pipeline(schema, RENEW);
        this.confirm = new Pipeline(schema, CONFIRM);
        this.confirmIn = new NamedSql(schema.render(CONFIRM_IN));
        this.release = new Pipeline(schema, LONGEST_WAIT, RELEASE);
        this.releaseUnread = new Pipeline(schema, LONGEST_WAIT, RELEASE_UNREAD);
        this.endExpired = new Pipeline(schema, LONGEST_WAIT, INCARNATION, LOCK_EXPIRED, END_EXPIRED);
    }

    /** Frees the lanes of a claim in the order in which every transaction locks them. */
    private static String release(String claim) {
        return """
                WITH released AS (
                    DELETE FROM {schema}.outbox_claim c
                     WHERE {claim}
                    RETURNING c.id
                ), lane AS MATERIALIZED (
                    SELECT l.aggregate_type, l.aggregate_id, l.handler_id
                      FROM {schema}.outbox_lane l
                     WHERE l.claim_id = ANY (ARRAY(SELECT released.id FROM released))
                     ORDER BY l.aggregate_type, l.aggregate_id, l.handler_id
                       FOR UPDATE
                )
                UPDATE {schema}.outbox_lane l
                   SET claim_id = NULL,
                       due_at = clock_timestamp()
                  FROM lane
                 WHERE l.aggregate_type = lane.aggregate_type
                   AND l.aggregate_id = lane.aggregate_id
                   AND l.handler_id = lane.handler_id
                """.replace("{claim}", claim);
    }

    private static String sql(String result) {
        return NamedSql.of(LeaseStore.class, "expired.sql", result);
    }

    /**
     * Claim that has expired, and how many events and lanes are free again. Its end counts as a crash unless it is one of an earlier
     * incarnation.
     */
    public record Expired(String worker, boolean counts, int events, int lanes) {}

    /** Returns the claim as something that a lease renews and confirms. */
    public Lease.Claimed claimed(ClaimKey claim, Duration life) {
        return new Row(this, claim, life);
    }

    private record Row(LeaseStore store, ClaimKey claim, Duration life) implements Lease.Claimed {

        @Override
        public long id() {
            return claim.id();
        }

        @Override
        public boolean renew() throws SQLException {
            return store.renew(claim, life);
        }

        @Override
        public boolean confirm() throws SQLException {
            return store.confirm(claim);
        }

        @Override
        public boolean confirmIn(BoundConnection transaction) throws SQLException {
            return store.confirmIn(transaction, claim);
        }

        @Override
        public void release() throws SQLException {
            store.release(claim);
        }
    }

    /** Renews a lease. */
    public boolean renew(ClaimKey claim, Duration lease) throws SQLException {
        return renew.run(
                dataSource,
                (parameters) -> claim.bind(parameters.set("lease", lease.toMillis())),
                (results) -> results.updated() == 1);
    }

    /** Returns whether a claim still belongs to its worker, and has not expired. */
    public boolean confirm(ClaimKey claim) throws SQLException {
        return confirm.run(dataSource, claim::bind, (results) -> results.row().getInt(1) == 1);
    }

    private boolean confirmIn(BoundConnection transaction, ClaimKey claim) throws SQLException {
        try (BoundConnection.Held held = transaction.holdLimited();
                PreparedStatement statement = held.connection().prepareStatement(confirmIn.positional())) {
            claim.bind(confirmIn.bind(statement));
            ResultSet row = statement.executeQuery();
            row.next();
            return row.getInt(1) == 1;
        }
    }

    /** Releases a claim: what is not settled is available again at once, and neither an attempt nor a crash is counted. */
    public void release(ClaimKey claim) throws SQLException {
        release.run(dataSource, claim::bind);
    }

    /** Releases what was claimed and could not be read. Finds it by its token, because its id was not read either. If that fails, the lease ends it. */
    public void releaseUnread(String stream, UUID token, Throwable cause) {
        try {
            releaseUnread.run(
                    dataSource, (parameters) -> parameters.set("stream", stream).set("token", token));
        } catch (SQLException | RuntimeException | Error ex) {
            cause.addSuppressed(ex);
        }
    }

    /**
     * Ends the claims of a stream that have expired, except for this process's own, and returns those of which something is free again. Counts
     * an attempt of each event that is not settled, and a crash of each lane. A lane that another session has locked keeps its claim, which no
     * worker has any more.
     */
    public List<Expired> endExpired(String stream, Collection<Long> own) throws SQLException {
        return endExpired.run(
                dataSource,
                (parameters) -> parameters.set("stream", stream).setLongs("own_claims", own, Long::longValue),
                (results) -> results.list(
                        END_EXPIRED,
                        (row) -> new Expired(row.getString(1), row.getBoolean(2), row.getInt(3), row.getInt(4))));
    }

    /** Ends the expired claims of some streams for an operator, who would find their deliveries busy. */
    public void endExpired(Set<String> streams) throws SQLException {
        for (String stream : streams) {
            endExpired(stream, Set.of());
        }
    }
}
