package dev.outbox.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/** Claims due deliveries of the repair lanes and keeps their leases. */
public final class DeliveryClaimStore {

    /**
     * Relies on outbox_delivery_next_due, outbox_delivery_lane_waiting and outbox_unpublished_pk. Only the head of a lane is ever
     * due. A head that has not failed yet brings the next of its lane along: the lane flows, and drains in batches. One that
     * has failed comes alone, since what waits behind it would probably wait again.
     */
    private static final String CLAIM_DUE = """
            WITH due AS (
                SELECT d.outbox_id, d.handler_id, d.aggregate_type, d.aggregate_id, d.aggregate_seq, d.retry_count,
                       d.next_retry_at
                  FROM {schema}.outbox_delivery d
                 WHERE d.stream = ?
                   AND d.status = 'DUE'
                   AND d.next_retry_at <= clock_timestamp()
                   AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp())
                   AND d.handler_id = ANY (?)
                   AND EXISTS (SELECT FROM {schema}.outbox_stream s WHERE s.stream = ? AND NOT s.paused)
                 ORDER BY d.next_retry_at, d.outbox_id
                 LIMIT ?
                   FOR UPDATE OF d SKIP LOCKED
            ), following AS (
                SELECT w.outbox_id, due.handler_id, due.next_retry_at
                  FROM due
                 CROSS JOIN LATERAL (SELECT d.outbox_id
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.aggregate_type = due.aggregate_type
                                        AND d.aggregate_id = due.aggregate_id
                                        AND d.handler_id = due.handler_id
                                        AND d.status = 'WAITING'
                                      ORDER BY d.aggregate_seq
                                      LIMIT ?) w
                 WHERE due.retry_count = 0
                 LIMIT ?
            ), taken AS (
                SELECT outbox_id, handler_id, next_retry_at FROM due
                 UNION ALL
                SELECT outbox_id, handler_id, next_retry_at FROM following
            ), claimed AS (
                UPDATE {schema}.outbox_delivery d
                   SET locked_by = ?,
                       locked_until = clock_timestamp() + ? * interval '1 millisecond',
                       attempt_count = d.attempt_count + 1,
                       last_attempt_at = clock_timestamp()
                  FROM taken
                 WHERE d.outbox_id = taken.outbox_id
                   AND d.handler_id = taken.handler_id
                RETURNING d.outbox_id, d.handler_id, d.attempt_count, d.retry_count, taken.next_retry_at
            )
            SELECT {envelope},
                   claimed.handler_id, claimed.attempt_count, claimed.retry_count
              FROM claimed
              JOIN {schema}.outbox_unpublished o ON o.id = claimed.outbox_id
             ORDER BY claimed.next_retry_at, o.aggregate_type, o.aggregate_id, claimed.handler_id, o.aggregate_seq
            """;

    /** Relies on outbox_delivery_pk. Locks in the order in which settling does. */
    static final String HELD = """
            WITH held AS (
                SELECT d.outbox_id, d.handler_id
                  FROM unnest(?::bigint[], ?::text[], ?::integer[]) AS h (outbox_id, handler_id, attempt)
                  JOIN {schema}.outbox_delivery d ON d.outbox_id = h.outbox_id AND d.handler_id = h.handler_id
                 WHERE d.attempt_count = h.attempt
                   AND d.locked_by = ?
                 ORDER BY d.outbox_id, d.handler_id
                   FOR UPDATE OF d
            )
            """;

    private static final String RENEW = HELD + """
            UPDATE {schema}.outbox_delivery d
               SET locked_until = clock_timestamp() + ? * interval '1 millisecond'
              FROM held
             WHERE d.outbox_id = held.outbox_id
               AND d.handler_id = held.handler_id
            """;

    private final DataSource dataSource;
    private final Pipeline claimDue;
    private final Pipeline renew;

    /**
     * Creates a store.
     *
     * @param dataSource where the tables are
     * @param schema the schema that holds them
     */
    public DeliveryClaimStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.claimDue = new Pipeline(schema, CLAIM_DUE);
        this.renew = new Pipeline(schema, RENEW);
    }

    /**
     * Claims deliveries that are due, the longest waiting first, and what flows behind them.
     *
     * @param request what to claim
     * @return the deliveries, those of a lane one after the other and in order
     * @throws SQLException if the database refused or could not be reached; nothing is claimed then
     */
    public List<DueDelivery> claimDue(Request request) throws SQLException {
        return claimDue.run(
                dataSource,
                (parameters) -> parameters
                        .add(request.stream(), request.handlerIds().toArray(String[]::new))
                        .add(request.stream(), request.batchSize())
                        .add(request.batchSize(), request.batchSize())
                        .add(request.worker(), request.lease().toMillis()),
                (results) -> {
                    List<DueDelivery> deliveries = new ArrayList<>();
                    ResultSet row = results.rows();
                    while (row.next()) {
                        int column = EventRow.NEXT_COLUMN;
                        deliveries.add(new DueDelivery(
                                EventRow.read(row),
                                row.getString(column),
                                row.getInt(column + 1),
                                row.getInt(column + 2)));
                    }
                    return deliveries;
                });
    }

    /**
     * What to claim.
     *
     * @param stream the stream
     * @param worker who claims; part of the fence
     * @param handlerIds the handlers that this process has
     * @param batchSize at most how many lanes, and at most how many deliveries behind their heads
     * @param lease how long the claim is valid unless renewed
     */
    public record Request(String stream, String worker, Set<String> handlerIds, int batchSize, Duration lease) {}

    /**
     * Renews leases.
     *
     * @param worker who holds them
     * @param deliveries the deliveries as claimed
     * @param lease the time from now until they expire
     * @return how many were still held
     * @throws SQLException if the database refused or could not be reached
     */
    public int renew(String worker, List<DueDelivery> deliveries, Duration lease) throws SQLException {
        return renew.run(
                dataSource,
                (parameters) -> bindHeld(parameters, deliveries).add(worker, lease.toMillis()),
                Pipeline.Results::updated);
    }

    static Pipeline.Parameters bindHeld(Pipeline.Parameters parameters, List<DueDelivery> deliveries)
            throws SQLException {
        return parameters.add(
                SettleStore.longs(deliveries, (one) -> one.envelope().id()),
                SettleStore.texts(deliveries, DueDelivery::handlerId),
                deliveries.stream().mapToInt(DueDelivery::attempt).toArray());
    }
}
