package dev.outbox.internal.lane;

import dev.outbox.internal.lease.ClaimKey;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.registry.Subscriptions;
import dev.outbox.internal.sql.NamedSql;
import java.util.List;
import java.util.stream.Stream;

/**
 * SQL shared by all operations that change lanes. A lane is the ordered backlog of one handler for one aggregate, and a row of
 * outbox_lane. Four rules hold between transactions:
 *
 * <ul>
 *   <li>A transaction that changes open or blocking deliveries of a lane holds the lock of its row until it ends.
 *   <li>The row exists exactly as long as the lane has such a delivery. Those that are dead without blocking it do not belong to it.
 *   <li>It names the first of them. A free lane is due when that one is; a lane that is due too early is put off.
 *   <li>{@code claim_id} names a claim that exists. Only the transaction that inserts the claim sets it, and one that deletes the
 *       claim has seen that no lane names it.
 * </ul>
 *
 * <p>So every operation locks lanes after the rows of their events, changes deliveries, and ends with {@link #REFRESH}, as {@link #changing}
 * does, or {@link #RELEASE}; a claim writes its lanes itself. A claim is locked before events, and a stream before a claim.
 *
 * <p>If a worker dies in the middle of a lane, its claim stays. When the lease is over, {@link LeaseStore#endExpired} frees the lane and
 * counts a crash, and the next claim takes the first delivery that is left, but none behind it. A worker that was only suspended can write
 * outcomes until then, and changes nothing after it. The crash may be the work of a delivery behind the first. So one crash stays counted,
 * and the lane's deliveries go one at a time, until the lane is empty. From the second crash on, a lane is a suspect: at most one suspect of
 * a process is attempted at a time, and the dispatcher makes a dead letter of a delivery under which more leases have expired than
 * {@code RetryPolicy.maxCrashes}.
 */
public final class LaneSql {

    /**
     * Passes over the deliveries {@code d} that have left the lane {@code l}: a held snapshot keeps them in outbox_delivery_lane. Holds between
     * transactions, and within one that settles, which puts no delivery in front of the first.
     */
    private static final String NOT_PASSED = "d.aggregate_seq >= l.first_seq";

    /** Relies on outbox_unpublished_pk. Serializes settlements of one event, so that the last one completes it. */
    static final String LOCK_EVENTS = """
            SELECT o.id
              FROM {schema}.outbox_unpublished o
             WHERE o.id = ANY (:events)
             ORDER BY o.id
               FOR UPDATE
            """;

    /**
     * Returns the statements of a transaction that changes deliveries without a claim of them, under the rules of this class. Its parameters
     * are those of {@link DeliveryRef}, for every event and lane that the change may touch.
     *
     * @param before what must be locked before events, or set
     * @param change inserts, updates or deletes deliveries
     */
    public static String[] changing(List<String> before, String... change) {
        return Stream.of(
                        before.stream(),
                        Stream.of(LOCK_EVENTS, LOCK_LANES),
                        Stream.of(change),
                        Stream.of(REFRESH, COMPLETE))
                .flatMap((statements) -> statements)
                .toArray(String[]::new);
    }

    /**
     * Relies on outbox_claim_pk and outbox_unpublished_pk. Locks the claim of a settlement and then the rows of its events; without the claim,
     * nothing. Returns whether the claim is held.
     */
    public static final String LOCK_CLAIMED_EVENTS = """
            WITH fence AS MATERIALIZED (
                {lock}
            ), event AS MATERIALIZED (
                SELECT o.id
                  FROM {schema}.outbox_unpublished o
                 WHERE o.id = ANY (:events)
                   AND EXISTS (SELECT FROM fence)
                 ORDER BY o.id
                   FOR UPDATE
            )
            SELECT count(*), (SELECT count(*) FROM event)
              FROM fence
            """.replace("{lock}", ClaimKey.LOCK);

    /** The lanes of the parameters, in the order in which every transaction locks them. */
    private static final String LANES = """
            (SELECT DISTINCT k.aggregate_type COLLATE "C" AS aggregate_type, k.aggregate_id COLLATE "C" AS aggregate_id,
                             k.handler_id COLLATE "C" AS handler_id
               FROM unnest(:lane_types::text[], :lane_ids::text[], :lane_handlers::text[])
                    AS k (aggregate_type, aggregate_id, handler_id)
              ORDER BY aggregate_type, aggregate_id, handler_id) k""";

    /**
     * Relies on outbox_lane_pk. Waits for lanes, and creates those that are missing, which nobody else sees before {@link #REFRESH} fills or
     * deletes them.
     */
    static final String LOCK_LANES = """
            INSERT INTO {schema}.outbox_lane AS l (aggregate_type, aggregate_id, handler_id, stream, first_seq, due_at)
            SELECT k.aggregate_type, k.aggregate_id, k.handler_id, '', 0, 'infinity'
              FROM {lanes}
            ON CONFLICT (aggregate_type, aggregate_id, handler_id) DO UPDATE
               SET crash_count = l.crash_count
            """.replace("{lanes}", LANES);

    /** Relies on outbox_lane_pk. Whether a worker may be attempting the delivery {@code d}, whose lane is locked by {@link #LOCK_LANES}. */
    public static final String LEASED = """
            (d.status = 'OPEN'
                        AND (SELECT l.claim_id
                               FROM {schema}.outbox_lane l
                              WHERE {same lane}
                              LIMIT 1) IS NOT NULL)""".replace("{same lane}", sameLane("l", "d"));

    /**
     * Relies on outbox_lane_pk, and follows {@link #LOCK_CLAIMED_EVENTS}: locks the lanes of the claim. Compares {@code claim_id} so that no index serves
     * it: outbox_lane_claim would read all lanes of the claim for each of them.
     */
    static final String LOCK_CLAIMED_LANES = """
            SELECT l.claim_id
              FROM {lanes}
             CROSS JOIN LATERAL (SELECT l.claim_id
                                   FROM {schema}.outbox_lane l
                                  WHERE {same lane}
                                    AND coalesce(l.claim_id, 0) = :claim
                                  LIMIT 1
                                  FOR UPDATE) l
            """.replace("{lanes}", LANES).replace("{same lane}", sameLane("l", "k"));

    /** A first delivery that stays the first keeps its crashes. The next one inherits at most one, and none while the lane is leased. */
    private static final String REFRESH_EACH = """
            WITH lane AS MATERIALIZED (
                SELECT l.ctid AS place, {stays} AS stays, d.aggregate_seq, d.stream, d.next_retry_at
                  FROM {lanes}
                 CROSS JOIN LATERAL (SELECT l.ctid, l.*
                                       FROM {schema}.outbox_lane l
                                      WHERE {same lane}
                                        AND {condition}
                                      LIMIT 1) l
                  LEFT JOIN LATERAL ({first}) d ON true
            ), emptied AS (
                DELETE FROM {schema}.outbox_lane l
                 USING lane
                 WHERE l.ctid = lane.place
                   AND lane.aggregate_seq IS NULL
            ){and}
            UPDATE {schema}.outbox_lane l
               SET stream = lane.stream,
                   first_seq = lane.aggregate_seq,
                   due_at = CASE WHEN lane.stays THEN l.due_at ELSE greatest(lane.next_retry_at, clock_timestamp()) END,
                   crash_count = CASE WHEN l.first_seq = lane.aggregate_seq THEN l.crash_count
                                      ELSE least(l.crash_count, (NOT lane.stays)::integer) END,
                   claim_id = CASE WHEN lane.stays THEN l.claim_id END
              FROM lane
             WHERE l.ctid = lane.place
               AND lane.aggregate_seq IS NOT NULL
            """.replace("{same lane}", sameLane("l", "k"));

    /**
     * Relies on outbox_lane_pk and outbox_delivery_lane, and follows {@link #LOCK_LANES}. A leased lane stays leased. Reads the lane from its
     * start, because the transaction may have put a delivery in front.
     */
    static final String REFRESH = REFRESH_EACH
            .replace("{lanes}", LANES)
            .replace("{first}", firstOf("l", "true"))
            .replace("{condition}", "true")
            .replace("{stays}", "l.claim_id IS NOT NULL")
            .replace("{and}", "");

    /**
     * Relies on outbox_lane_pk, outbox_delivery_lane, outbox_claim_pk and outbox_lane_claim, and follows {@link #LOCK_CLAIMED_LANES}. Frees lanes, unless
     * the worker has more of them to attempt, and ends the claim when it has neither lanes nor events any more.
     */
    static final String RELEASE = REFRESH_EACH
            .replace(
                    "{lanes}",
                    "unnest(:lane_types::text[], :lane_ids::text[], :lane_handlers::text[], :lane_kept::text[]::boolean[])"
                            + " AS k (aggregate_type, aggregate_id, handler_id, kept)")
            .replace("{first}", firstOf("l", NOT_PASSED))
            .replace(
                    "{condition}",
                    "coalesce(l.claim_id, 0) = :claim AND EXISTS (SELECT FROM {schema}.outbox_claim c WHERE {held})")
            .replace("{stays}", "k.kept")
            .replace("{and}", """
                    , ended AS (
                        DELETE FROM {schema}.outbox_claim c
                         WHERE {held}
                           AND c.event_ids = '{}'
                           AND (SELECT count(*) FROM {schema}.outbox_lane l WHERE l.claim_id = :claim)
                               = (SELECT count(*) FROM lane WHERE NOT lane.stays OR lane.aggregate_seq IS NULL)
                    )""")
            .replace("{held}", ClaimKey.HELD);

    /** Copies rows of an alias {@code o} to history. */
    static final String INTO_HISTORY = """
                INSERT INTO {schema}.outbox_published
                       (id, event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                        headers, occurred_at, attempt_count, retry_count, last_error_code, last_error, dispatched_at,
                        last_attempt_at, status, published_at, failures, skipped_handlers)
                SELECT o.id, o.event_id, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type,
                       o.schema_version, o.payload, o.headers, o.occurred_at, o.attempt_count, o.retry_count, o.last_error_code,
                       o.last_error, coalesce(o.dispatched_at, clock_timestamp()), clock_timestamp(), 'PUBLISHED',
                       clock_timestamp(), o.failures, o.skipped_handlers
            """;

    /** Copies rows of the queue, of an alias {@code o}, which a WHERE clause chooses, to history. */
    public static final String COPY_TO_HISTORY = INTO_HISTORY + """
                  FROM {schema}.outbox_unpublished o
            """;

    /**
     * Relies on outbox_delivery_pk and outbox_unpublished_pk. Moves events without deliveries to history. Changes the others by the places
     * of their rows, which is safe only because {@link #LOCK_EVENTS} has locked them earlier in the transaction: no other can move them.
     */
    static final String COMPLETE = """
            WITH event AS (
                SELECT o.id, o.ctid AS place, d.open, d.dead, d.next_retry_at,
                       (o.status = 'RETRYING') <> (d.open > 0) OR o.next_retry_at IS DISTINCT FROM d.next_retry_at AS changes
                  FROM {schema}.outbox_unpublished o
                 CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE d.status = 'OPEN') AS open,
                                            count(*) FILTER (WHERE d.status <> 'OPEN') AS dead,
                                            min(d.next_retry_at) FILTER (WHERE d.status = 'OPEN') AS next_retry_at
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.outbox_id = o.id) d
                 WHERE o.id = ANY (:events)
                   AND o.status <> 'PENDING'
            ), done AS (
                SELECT event.id
                  FROM event
                 WHERE event.open = 0 AND event.dead = 0
            ), history AS (
            """ + COPY_TO_HISTORY + """
                 WHERE o.id = ANY (ARRAY(SELECT done.id FROM done))
            ), moved AS (
                DELETE FROM {schema}.outbox_unpublished o
                 WHERE o.id = ANY (ARRAY(SELECT done.id FROM done))
                RETURNING o.id, o.retry_count
            ), kept AS (
                UPDATE {schema}.outbox_unpublished o
                   SET status = CASE WHEN event.open = 0 THEN 'DEAD' ELSE 'RETRYING' END,
                       next_retry_at = event.next_retry_at
                  FROM event
                 WHERE o.ctid = event.place
                   AND event.open + event.dead > 0
                   AND event.changes
                RETURNING o.id, o.status, o.retry_count
            )
            SELECT id, retry_count FROM moved
             UNION ALL
            SELECT id, retry_count FROM kept WHERE status = 'DEAD'
            """;

    /**
     * The handlers {@code h} of the parameters, each with what it takes, and twice: crash suspects, under which two leases expired, have a range
     * of their own.
     */
    static final String HANDLERS = """
            (SELECT t.*, suspect
               FROM ({takers}) t
              CROSS JOIN unnest('{f,t}'::boolean[]) AS suspect) h""".replace("{takers}", Subscriptions.takers("true"));

    /**
     * Lanes of the handler {@code h} in the order of their due times. Those that are no suspects are read from the mark that
     * {@link #UNTIL_NEXT} found before: a held snapshot keeps every former due time in the index.
     */
    static final String LANES_OF_HANDLER =
            """
            FROM {schema}.outbox_free_lanes(:stream, h.handler_id, h.suspect) l
                                  WHERE l.due_at >= CASE WHEN h.suspect THEN '-infinity' ELSE :due_from::timestamptz END
                                    AND EXISTS (SELECT FROM ({first}) d WHERE {taken})""".replace("{first}", firstOf("l", NOT_PASSED)).replace("{taken}", takenBy("h"));

    /** The delivery that a lane {@code l} of {@link #LANES_OF_HANDLER} attempts next. Relies on outbox_delivery_lane. */
    static final String FIRST = firstOf("l", NOT_PASSED);

    /**
     * Relies on outbox_handler_pause_end too. Time until a free lane is due, or while the stream is paused, until its pause ends; until the
     * pause of a handler ends; or until a lease of the stream ends, but then a second at least: a claim may be over, and not be ended yet.
     * And the mark at which the next look starts. Lanes become due at the clock of the transaction that changes them, so that only one that
     * commits later than ten seconds puts a lane before the mark. And the microseconds that the claim before it took.
     */
    public static final String UNTIL_NEXT =
            """
            SELECT ceil(extract(epoch FROM nullif(
                            least(coalesce((SELECT greatest(s.paused_until, clock_timestamp() + interval '1 millisecond')
                                              FROM {schema}.outbox_stream s
                                             WHERE s.stream = :stream
                                               AND s.paused_until > now()), min(l.due_at)),
                                  (SELECT min(greatest(p.paused_until, clock_timestamp() + interval '1 millisecond'))
                                     FROM {schema}.outbox_handler p
                                    WHERE isfinite(p.paused_until)
                                      AND p.paused_until > now()),
                                  (SELECT min(greatest(c.locked_until, clock_timestamp() + interval '1 second'))
                                     FROM {schema}.outbox_claim c
                                    WHERE c.id >= (SELECT s.first_claim FROM {schema}.outbox_stream s WHERE s.stream = :stream)
                                      AND c.stream = :stream)), 'infinity') - clock_timestamp()) * 1000)::bigint,
                   least(min(l.due_at) FILTER (WHERE NOT h.suspect), now() - interval '10 seconds'),
                   (extract(epoch FROM statement_timestamp() - nullif(current_setting('outbox.claim_began', true), '')::timestamptz)
                    * 1000000)::bigint
              FROM {handlers}
             CROSS JOIN LATERAL (SELECT l.due_at
                                   {lanes of handler}
                                    AND l.due_at < 'infinity'
                                  ORDER BY l.due_at
                                  LIMIT 1) l
            """.replace("{handlers}", HANDLERS).replace("{lanes of handler}", LANES_OF_HANDLER);

    /** Queues the outcomes of first deliveries, if {@code {held}} says that their claim {@code c} is held. */
    public static final String QUEUE = NamedSql.of(LaneSql.class, "queue.sql", "queued");

    private LaneSql() {}

    /**
     * Returns the condition that a taker may attempt the delivery {@code d} of its lane here: it takes it, and no older claim has events of the
     * aggregate, which does not know of a delivery that a replay added since.
     */
    static String takenBy(String taker) {
        return """
                {taken}
                                    AND (d.replay_id IS NULL
                                         OR NOT EXISTS (SELECT
                                                          FROM {schema}.outbox_claim c
                                                         WHERE c.stream = :stream
                                                           AND c.claimed_at <= d.created_at
                                                           AND {schema}.outbox_aggregate_hash(d.aggregate_type, d.aggregate_id)
                                                               = ANY (c.aggregates)))""".replace("{taken}", Subscriptions.takenBy(taker, "d"));
    }

    /** Returns the condition that two rows belong to one lane. */
    public static String sameLane(String one, String other) {
        return "{one}.aggregate_type = {other}.aggregate_type AND {one}.aggregate_id = {other}.aggregate_id AND {one}.handler_id = {other}.handler_id"
                .replace("{one}", one)
                .replace("{other}", other);
    }

    /** Returns a query of the delivery that a lane attempts next, or that blocks it. Relies on outbox_delivery_lane. */
    private static String firstOf(String lane, String condition) {
        return """
                SELECT d.*
                  FROM {schema}.outbox_delivery d
                 WHERE {same lane}
                   AND d.status <> 'DEAD'
                   AND {condition}
                 ORDER BY d.aggregate_seq
                 LIMIT 1""".replace("{same lane}", sameLane("d", lane)).replace("{condition}", condition);
    }
}
