package dev.outbox.internal.store;

import dev.outbox.internal.delivery.DeliveryKey;
import dev.outbox.internal.delivery.DueDelivery;
import dev.outbox.internal.delivery.Fence;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** Claims due deliveries of the repair lanes and keeps their leases. */
public final class DeliveryClaimStore {

    /**
     * Relies on outbox_delivery_next_due, once for each handler, outbox_delivery_lane_waiting, and the primary keys of both
     * partitions. Only the head of a lane is ever due. A head that has not failed yet brings the next of its lane along: the lane
     * flows, and drains in batches. One that has failed comes alone, since what waits behind it would probably wait again; and
     * one that may have taken its process down (suspect: two leases have expired under it) is claimed alone. A follower that somebody else holds
     * locked, that is suspect, has failed and is not due, or is of a type that this process does not know is a gap: nothing
     * comes along from behind it. A replayed delivery waits for claims of its aggregate that are older than it, since they were
     * made without knowing of it. Whether a handler is paused is looked up, since the fast lane may be too busy to find out that
     * the registry has changed. The index keeps leased heads apart from the others, at the end of their lease. A claim takes at
     * most 8 MB of payloads, but at least one delivery: a prefix in the order of attempts, in which each lane is in order. Claiming a
     * head whose claim has expired ends that claim for what follows it too: otherwise a late worker could go on behind its back.
     */
    static final String CLAIM_DUE = """
            WITH candidate AS MATERIALIZED (
                SELECT d.outbox_id, d.handler_id, d.aggregate_type, d.aggregate_id, d.aggregate_seq, d.retry_count,
                       d.next_retry_at, d.suspect, d.lock_token, h.event_types,
                       row_number() OVER (ORDER BY d.next_retry_at, d.outbox_id, d.handler_id) AS place
                  FROM unnest(:handler_ids::text[], :event_types::text[]) AS h (handler_id, event_types)
                 CROSS JOIN unnest('{f,t}'::boolean[]) AS kind (suspect)
                 CROSS JOIN LATERAL (SELECT d.outbox_id, d.handler_id, d.aggregate_type, d.aggregate_id, d.aggregate_seq,
                                            d.retry_count, d.next_retry_at, d.lock_token,
                                            kind.suspect
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.stream = :stream
                                        AND d.handler_id = h.handler_id
                                        AND d.status = 'DUE'
                                        AND (d.crash_count + (d.locked_until IS NOT NULL)::integer > 1) = kind.suspect
                                        AND greatest(d.next_retry_at, d.locked_until) < now()
                                        AND (h.event_types = '*' OR d.event_type = ANY (string_to_array(h.event_types, ',')))
                                        AND d.outbox_id <> ALL (:held)
                                        AND (:with_suspects OR NOT kind.suspect)
                                        AND (d.replay_id IS NULL
                                             OR NOT EXISTS (SELECT
                                                              FROM {schema}.outbox_claim c
                                                             WHERE c.stream = :stream
                                                               AND c.claimed_at <= d.created_at
                                                               AND {schema}.outbox_aggregate_hash(d.aggregate_type, d.aggregate_id)
                                                                   = ANY (c.aggregates)))
                                      ORDER BY greatest(d.next_retry_at, d.locked_until)
                                      LIMIT :batch_size
                                        FOR UPDATE SKIP LOCKED) d
                 WHERE EXISTS (SELECT FROM {schema}.outbox_stream s WHERE s.stream = :stream AND NOT s.paused)
                   AND NOT EXISTS (SELECT FROM {schema}.outbox_handler p WHERE p.id = h.handler_id AND p.paused)
                 ORDER BY place
                 LIMIT :batch_size
            ), due AS (
                SELECT c.outbox_id, c.handler_id, c.aggregate_type, c.aggregate_id, c.aggregate_seq, c.next_retry_at,
                       c.event_types, c.retry_count = 0 AND NOT c.suspect AS flows, c.lock_token
                  FROM candidate c
                 WHERE c.place = 1
                    OR NOT c.suspect AND NOT (SELECT top.suspect FROM candidate top WHERE top.place = 1)
            ), following AS MATERIALIZED (
                SELECT w.outbox_id, due.handler_id, due.aggregate_type, due.aggregate_id, w.aggregate_seq, due.next_retry_at
                  FROM due
                 CROSS JOIN LATERAL (SELECT d.outbox_id, d.aggregate_seq
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.aggregate_type = due.aggregate_type
                                        AND d.aggregate_id = due.aggregate_id
                                        AND d.handler_id = due.handler_id
                                        AND d.aggregate_seq > due.aggregate_seq
                                        AND d.status = 'WAITING'
                                        AND d.crash_count + (d.locked_until IS NOT NULL)::integer < 2
                                        AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp())
                                        AND (d.next_retry_at IS NULL OR d.next_retry_at <= clock_timestamp())
                                        AND (due.event_types = '*'
                                             OR d.event_type = ANY (string_to_array(due.event_types, ',')))
                                      ORDER BY d.aggregate_seq
                                      LIMIT :batch_size
                                        FOR UPDATE SKIP LOCKED) w
                 WHERE due.flows
                 LIMIT :followers
            ), gap AS (
                SELECT due.handler_id, due.aggregate_type, due.aggregate_id, g.aggregate_seq
                  FROM due
                 CROSS JOIN LATERAL (SELECT d.aggregate_seq
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.aggregate_type = due.aggregate_type
                                        AND d.aggregate_id = due.aggregate_id
                                        AND d.handler_id = due.handler_id
                                        AND d.aggregate_seq > due.aggregate_seq
                                        AND d.status = 'WAITING'
                                        AND (d.outbox_id, d.handler_id)
                                            NOT IN (SELECT f.outbox_id, f.handler_id FROM following f)
                                      ORDER BY d.aggregate_seq
                                      LIMIT 1) g
                 WHERE due.flows
            ), eligible AS (
                SELECT due.outbox_id, due.handler_id, due.aggregate_type, due.aggregate_id, due.aggregate_seq, due.next_retry_at
                  FROM due
                 UNION ALL
                SELECT l.outbox_id, l.handler_id, l.aggregate_type, l.aggregate_id, l.aggregate_seq, l.next_retry_at
                  FROM (SELECT f.outbox_id, f.handler_id, f.aggregate_type, f.aggregate_id, f.aggregate_seq, f.next_retry_at,
                               min(f.aggregate_seq) FILTER (WHERE f.outbox_id IS NULL)
                                   OVER (PARTITION BY f.handler_id, f.aggregate_type, f.aggregate_id) AS gap_seq
                          FROM (SELECT f.outbox_id, f.handler_id, f.aggregate_type, f.aggregate_id, f.aggregate_seq, f.next_retry_at
                                  FROM following f
                                 UNION ALL
                                SELECT NULL, gap.handler_id, gap.aggregate_type, gap.aggregate_id, gap.aggregate_seq, NULL
                                  FROM gap) f) l
                 WHERE l.outbox_id IS NOT NULL
                   AND (l.gap_seq IS NULL OR l.aggregate_seq < l.gap_seq)
            ), taken AS (
                SELECT sized.outbox_id, sized.handler_id, sized.next_retry_at
                  FROM (SELECT eligible.outbox_id, eligible.handler_id, eligible.next_retry_at,
                               row_number() OVER attempts AS place,
                               sum(o.bytes) OVER attempts AS bytes
                          FROM eligible
                         CROSS JOIN LATERAL (SELECT {schema}.outbox_payload_size(o.payload) AS bytes
                                               FROM {schema}.outbox o
                                              WHERE o.id = eligible.outbox_id
                                              LIMIT 1) o
                        WINDOW attempts AS (ORDER BY eligible.next_retry_at, eligible.aggregate_type, eligible.aggregate_id,
                                                     eligible.handler_id, eligible.aggregate_seq)) sized
                 WHERE sized.place = 1
                    OR sized.bytes <= 8388608
            ), claimed AS (
                UPDATE {schema}.outbox_delivery d
                   SET crash_count = d.crash_count + (d.locked_until IS NOT NULL)::integer,
                       locked_by = :worker,
                       lock_token = :token,
                       locked_until = clock_timestamp() + :lease * interval '1 millisecond',
                       attempt_count = d.attempt_count + 1,
                       last_attempt_at = clock_timestamp()
                  FROM taken
                 WHERE d.outbox_id = taken.outbox_id
                   AND d.handler_id = taken.handler_id
                RETURNING d.outbox_id, d.handler_id, d.attempt_count, d.retry_count, d.crash_count, d.replay_id,
                          taken.next_retry_at
            ), ended AS (
                UPDATE {schema}.outbox_delivery d
                   SET crash_count = d.crash_count + 1,
                       locked_by = NULL,
                       lock_token = NULL,
                       locked_until = NULL
                  FROM (SELECT w.outbox_id, due.handler_id
                          FROM due
                         CROSS JOIN LATERAL (SELECT d.outbox_id, d.lock_token
                                               FROM {schema}.outbox_delivery d
                                              WHERE d.aggregate_type = due.aggregate_type
                                                AND d.aggregate_id = due.aggregate_id
                                                AND d.handler_id = due.handler_id
                                                AND d.aggregate_seq > due.aggregate_seq
                                                AND d.status = 'WAITING'
                                              ORDER BY d.aggregate_seq
                                              LIMIT :followers) w
                         WHERE due.lock_token IS NOT NULL
                           AND w.lock_token = due.lock_token
                           AND (w.outbox_id, due.handler_id) NOT IN (SELECT t.outbox_id, t.handler_id FROM taken t)) former
                 WHERE d.outbox_id = former.outbox_id
                   AND d.handler_id = former.handler_id
            )
            SELECT {envelope},
                   claimed.replay_id IS NOT NULL, claimed.handler_id, claimed.attempt_count, claimed.retry_count, claimed.crash_count
              FROM claimed
             CROSS JOIN LATERAL (SELECT * FROM {schema}.outbox o WHERE o.id = claimed.outbox_id LIMIT 1) o
             ORDER BY claimed.next_retry_at, o.aggregate_type, o.aggregate_id, claimed.handler_id, o.aggregate_seq
            """;

    /** Relies on outbox_delivery_pk. */
    private static final String CONFIRM = """
            SELECT d.outbox_id, d.handler_id
              FROM unnest(:outbox_ids::bigint[], :handler_ids::text[]) AS h (outbox_id, handler_id)
              JOIN {schema}.outbox_delivery d ON d.outbox_id = h.outbox_id AND d.handler_id = h.handler_id
             WHERE d.lock_token = :token
               AND d.locked_until > clock_timestamp()
               AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = :incarnation)
            """;

    /**
     * Relies on outbox_delivery_pk. A row that another transaction holds locked is still held, and nothing can claim it as long as it is
     * locked: it need not be renewed, and must not keep the others from it.
     */
    private static final String RENEW = """
            WITH held AS (
                SELECT d.outbox_id, d.handler_id
                  FROM unnest(:outbox_ids::bigint[], :handler_ids::text[]) AS h (outbox_id, handler_id)
                  JOIN {schema}.outbox_delivery d ON d.outbox_id = h.outbox_id AND d.handler_id = h.handler_id
                 WHERE d.lock_token = :token
                   AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = :incarnation)
                 ORDER BY d.outbox_id, d.handler_id
                   FOR UPDATE OF d SKIP LOCKED
            ), renewed AS (
                UPDATE {schema}.outbox_delivery d
                   SET locked_until = clock_timestamp() + :lease * interval '1 millisecond'
                  FROM held
                 WHERE d.outbox_id = held.outbox_id
                   AND d.handler_id = held.handler_id
            )
            SELECT d.outbox_id, d.handler_id
              FROM unnest(:outbox_ids::bigint[], :handler_ids::text[]) AS h (outbox_id, handler_id)
              JOIN {schema}.outbox_delivery d ON d.outbox_id = h.outbox_id AND d.handler_id = h.handler_id
             WHERE d.lock_token = :token
               AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = :incarnation)
            """;

    /** On average; a lane that flows costs little more per delivery than the fast lane if many of them come at once. */
    private static final int FOLLOWERS_PER_LANE = 4;

    private static final Fence NOTHING_HELD = new Fence(new UUID(0, 0), new UUID(0, 0));

    private final DataSource dataSource;
    private final Pipeline claimDue;
    private final Pipeline renew;
    private final Pipeline confirm;

    /** Creates a store. */
    public DeliveryClaimStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.claimDue = new Pipeline(schema, "SELECT " + ClaimSql.INCARNATION, CLAIM_DUE);
        this.renew = new Pipeline(schema, RENEW);
        this.confirm = new Pipeline(schema, CONFIRM);
    }

    /** Claims deliveries that are due, the longest waiting first, and what flows behind them. */
    public List<DueDelivery> claimDue(Request request) throws SQLException {
        UUID token = UUID.randomUUID();
        return claimDue.run(
                dataSource,
                (parameters) -> parameters
                        .set("handler_ids", request.handlers().ids())
                        .set("event_types", request.handlers().eventTypes())
                        .set("stream", request.stream())
                        .setLongs("held", request.held(), Long::longValue)
                        .set("with_suspects", request.withSuspects())
                        .set("batch_size", request.batchSize())
                        .set("followers", request.batchSize() * FOLLOWERS_PER_LANE)
                        .set("worker", request.worker())
                        .set("token", token)
                        .set("lease", request.lease().toMillis()),
                (results) -> {
                    ResultSet incarnation = results.rows();
                    incarnation.next();
                    Fence fence = new Fence(token, incarnation.getObject(1, UUID.class));
                    List<DueDelivery> deliveries = new ArrayList<>();
                    ResultSet row = results.rows();
                    while (row.next()) {
                        int column = EventRow.NEXT_COLUMN;
                        deliveries.add(new DueDelivery(
                                EventRow.read(row, row.getBoolean(column)),
                                row.getString(column + 1),
                                row.getInt(column + 2),
                                row.getInt(column + 3),
                                row.getInt(column + 4),
                                fence));
                    }
                    return deliveries;
                });
    }

    /** What to claim. */
    public record Request(
            String stream,
            String worker,
            ActiveHandlers handlers,
            int batchSize,
            Set<Long> held,
            boolean withSuspects,
            Duration lease) {}

    /** Renews leases. */
    public Set<DeliveryKey> renew(List<DueDelivery> deliveries, Duration lease) throws SQLException {
        return renew.run(
                dataSource,
                (parameters) -> bindHeld(parameters, deliveries).set("lease", lease.toMillis()),
                DeliveryClaimStore::readKeys);
    }

    /** Asks which deliveries are still their worker's, and have not expired. */
    public Set<DeliveryKey> confirm(List<DueDelivery> deliveries) throws SQLException {
        return confirm.run(dataSource, (parameters) -> bindHeld(parameters, deliveries), DeliveryClaimStore::readKeys);
    }

    private static Set<DeliveryKey> readKeys(Pipeline.Results results) throws SQLException {
        Set<DeliveryKey> keys = new HashSet<>();
        ResultSet row = results.rows();
        while (row.next()) {
            keys.add(new DeliveryKey(row.getLong(1), row.getString(2)));
        }
        return keys;
    }

    /** Deliveries that were claimed at once have one fence. */
    static NamedSql.Parameters bindHeld(NamedSql.Parameters parameters, List<DueDelivery> deliveries)
            throws SQLException {
        Fence fence = fenceOf(deliveries);
        return parameters
                .setLongs("outbox_ids", deliveries, (one) -> one.envelope().id())
                .setTexts("handler_ids", deliveries, DueDelivery::handlerId)
                .set("token", fence.token())
                .set("incarnation", fence.incarnation());
    }

    static Fence fenceOf(List<DueDelivery> deliveries) {
        return deliveries.isEmpty() ? NOTHING_HELD : deliveries.get(0).fence();
    }
}
