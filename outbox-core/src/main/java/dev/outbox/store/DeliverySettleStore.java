package dev.outbox.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Writes what came of attempted deliveries. Every write is fenced by the attempt's number and the worker that holds it.
 */
public final class DeliverySettleStore {

    /** Relies on outbox_unpublished_pk. Two handlers of one event take turns, so that the last one sees it is the last. */
    private static final String LOCK_EVENTS = """
            SELECT o.id
              FROM {schema}.outbox_unpublished o
             WHERE o.id = ANY (?)
             ORDER BY o.id
               FOR UPDATE
            """;

    /** Relies on outbox_delivery_pk. Whoever queues behind a lane waits for this lock and then sees what became of its head. */
    private static final String LOCK_DELIVERIES = """
            SELECT d.outbox_id
              FROM unnest(?::bigint[], ?::text[]) AS held (outbox_id, handler_id)
              JOIN {schema}.outbox_delivery d ON d.outbox_id = held.outbox_id AND d.handler_id = held.handler_id
             ORDER BY d.outbox_id, d.handler_id
               FOR UPDATE OF d
            """;

    /** Relies on outbox_delivery_pk. */
    private static final String REMOVE_SUCCEEDED = DeliveryClaimStore.HELD + """
            DELETE FROM {schema}.outbox_delivery d
             USING held
             WHERE d.outbox_id = held.outbox_id
               AND d.handler_id = held.handler_id
            RETURNING d.outbox_id, d.handler_id
            """;

    /**
     * Relies on outbox_delivery_pk and outbox_unpublished_pk. Runs once for the dead and then once for those to be retried: a lane
     * must have lost its old head before it gets a new one. A lane that still has another head has been taken over by somebody
     * else, who will come to this delivery too.
     */
    private static final String KEEP_FAILED = """
            WITH failed AS (
                UPDATE {schema}.outbox_delivery d
                   SET status = r.status,
                       head = r.status = 'DUE',
                       next_retry_at = CASE WHEN r.status = 'DUE'
                                            THEN clock_timestamp() + r.delay * interval '1 millisecond' END,
                       retry_count = d.retry_count + 1,
                       locked_by = NULL,
                       locked_until = NULL,
                       last_error_code = r.code,
                       last_error = r.error
                  FROM (SELECT i.*, ?::text AS status
                          FROM unnest(?::bigint[], ?::text[], ?::integer[], ?::bigint[], ?::text[], ?::text[])
                               AS i (outbox_id, handler_id, attempt, delay, code, error)) r
                 WHERE d.outbox_id = r.outbox_id
                   AND d.handler_id = r.handler_id
                   AND d.attempt_count = r.attempt
                   AND d.locked_by = ?
                   AND (r.status = 'DEAD'
                        OR d.head
                        OR NOT EXISTS (SELECT
                                         FROM {schema}.outbox_delivery h
                                        WHERE h.aggregate_type = d.aggregate_type
                                          AND h.aggregate_id = d.aggregate_id
                                          AND h.handler_id = d.handler_id
                                          AND h.head))
                RETURNING d.outbox_id, d.handler_id, d.last_error_code, d.last_error
            ), pass AS (
                SELECT outbox_id, max(last_error_code) AS code, max(last_error) AS error
                  FROM failed
                 GROUP BY outbox_id
            ), event AS (
                UPDATE {schema}.outbox_unpublished o
                   SET attempt_count = o.attempt_count + 1,
                       retry_count = o.retry_count + 1,
                       last_attempt_at = clock_timestamp(),
                       last_error_code = pass.code,
                       last_error = pass.error
                  FROM pass
                 WHERE o.id = pass.outbox_id
            )
            SELECT outbox_id, handler_id
              FROM failed
            """;

    /** Relies on outbox_delivery_pk. What was not attempted is as it was before it was claimed. */
    private static final String RELEASE = DeliveryClaimStore.HELD + """
            UPDATE {schema}.outbox_delivery d
               SET locked_by = NULL,
                   locked_until = NULL,
                   attempt_count = d.attempt_count - 1
              FROM held
             WHERE d.outbox_id = held.outbox_id
               AND d.handler_id = held.handler_id
            """;

    /** Relies on outbox_delivery_lane_head and outbox_delivery_lane_waiting. The next of a lane without a head is due at once. */
    private static final String PROMOTE = """
            UPDATE {schema}.outbox_delivery d
               SET status = 'DUE',
                   head = true,
                   next_retry_at = clock_timestamp()
              FROM (SELECT DISTINCT aggregate_type, aggregate_id, handler_id
                      FROM unnest(?::text[], ?::text[], ?::text[]) AS l (aggregate_type, aggregate_id, handler_id)) lane
             CROSS JOIN LATERAL (SELECT w.outbox_id
                                   FROM {schema}.outbox_delivery w
                                  WHERE w.aggregate_type = lane.aggregate_type
                                    AND w.aggregate_id = lane.aggregate_id
                                    AND w.handler_id = lane.handler_id
                                    AND w.status = 'WAITING'
                                  ORDER BY w.aggregate_seq
                                  LIMIT 1) next
             WHERE d.outbox_id = next.outbox_id
               AND d.handler_id = lane.handler_id
               AND NOT EXISTS (SELECT
                                 FROM {schema}.outbox_delivery h
                                WHERE h.aggregate_type = lane.aggregate_type
                                  AND h.aggregate_id = lane.aggregate_id
                                  AND h.handler_id = lane.handler_id
                                  AND h.head)
            """;

    /** Relies on outbox_delivery_pk and outbox_unpublished_pk. An event with no delivery left to try is done. */
    private static final String COMPLETE = """
            WITH event AS (
                SELECT o.id, d.open, d.dead, d.next_retry_at
                  FROM {schema}.outbox_unpublished o
                 CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE d.status <> 'DEAD') AS open,
                                            count(*) FILTER (WHERE d.status = 'DEAD') AS dead,
                                            min(d.next_retry_at) AS next_retry_at
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.outbox_id = o.id) d
                 WHERE o.id = ANY (?)
                   AND o.status = 'RETRYING'
            ), moved AS (
                DELETE FROM {schema}.outbox_unpublished
                 WHERE id IN (SELECT event.id FROM event WHERE event.open = 0 AND event.dead = 0)
                RETURNING {moved}
            ), history AS (
                {history}
            ), kept AS (
                UPDATE {schema}.outbox_unpublished o
                   SET status = CASE WHEN event.open = 0 THEN 'DEAD' ELSE 'RETRYING' END,
                       next_retry_at = event.next_retry_at
                  FROM event
                 WHERE o.id = event.id
                   AND event.open + event.dead > 0
                RETURNING o.id, o.status, o.retry_count
            )
            SELECT id, retry_count FROM moved
             UNION ALL
            SELECT id, retry_count FROM kept WHERE status = 'DEAD'
            """;

    private final DataSource dataSource;
    private final Pipeline settle;

    /**
     * Creates a store.
     *
     * @param dataSource where the tables are
     * @param schema the schema that holds them
     */
    public DeliverySettleStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.settle = new Pipeline(
                schema,
                LOCK_EVENTS,
                LOCK_DELIVERIES,
                REMOVE_SUCCEEDED,
                KEEP_FAILED,
                KEEP_FAILED,
                RELEASE,
                PROMOTE,
                COMPLETE);
    }

    /**
     * What came of an attempt.
     *
     * @param delivery the delivery as claimed
     * @param kind what came of it
     * @param delay the wait until the next attempt, where it is to be retried
     * @param failure what went wrong, or {@code null} if nothing did
     */
    public record Attempted(
            DueDelivery delivery,
            Kind kind,
            Duration delay,
            @Nullable Failure failure) {

        /** What came of an attempt. */
        public enum Kind {
            /** The handler returned. */
            SUCCEEDED,
            /** The handler failed and is to be tried again. */
            FAILED,
            /** The handler failed and is not to be tried again. */
            DEAD
        }
    }

    /**
     * What a settlement did.
     *
     * @param written the deliveries whose outcome was written, as {@code (outbox id, handler id)}; of the others the lease
     *     was lost
     * @param retriesOfCompleted for each event that is done now, how many of its passes had failed
     */
    public record Settled(Set<Key> written, List<Integer> retriesOfCompleted) {}

    /**
     * Identifies a delivery.
     *
     * @param outboxId the event
     * @param handlerId the handler
     */
    public record Key(long outboxId, String handlerId) {}

    /**
     * Writes outcomes, gives back what was not attempted, lets the next of each lane come up, and completes the events that have
     * nothing left to try, in one transaction and one round trip.
     *
     * @param worker who holds the deliveries
     * @param attempts what came of those that were attempted
     * @param untried those that were not attempted, and will not be
     * @return what was written
     * @throws SQLException if the database refused or could not be reached; nothing was written then, or its answer was lost
     */
    public Settled settle(String worker, List<Attempted> attempts, List<DueDelivery> untried) throws SQLException {
        List<DueDelivery> deliveries = deliveries(attempts);
        List<DueDelivery> all =
                Stream.concat(deliveries.stream(), untried.stream()).toList();
        return settle.run(
                dataSource,
                (parameters) -> {
                    long[] ids = SettleStore.longs(
                            deliveries, (one) -> one.envelope().id());
                    long[] allIds =
                            SettleStore.longs(all, (one) -> one.envelope().id());
                    parameters.add((Object) ids).add(allIds, SettleStore.texts(all, DueDelivery::handlerId));
                    List<Attempted> succeeded = ofKind(Attempted.Kind.SUCCEEDED, attempts);
                    DeliveryClaimStore.bindHeld(parameters, deliveries(succeeded))
                            .add(worker);
                    bindFailed(parameters, "DEAD", ofKind(Attempted.Kind.DEAD, attempts), worker);
                    bindFailed(parameters, "DUE", ofKind(Attempted.Kind.FAILED, attempts), worker);
                    DeliveryClaimStore.bindHeld(parameters, untried).add(worker);
                    parameters
                            .add(
                                    SettleStore.texts(
                                            deliveries, (one) -> one.envelope().aggregateType()),
                                    SettleStore.texts(
                                            deliveries, (one) -> one.envelope().aggregateId()),
                                    SettleStore.texts(deliveries, DueDelivery::handlerId))
                            .add((Object) ids);
                },
                DeliverySettleStore::readSettled);
    }

    private static void bindFailed(Pipeline.Parameters parameters, String status, List<Attempted> failed, String worker)
            throws SQLException {
        parameters.add(status);
        DeliveryClaimStore.bindHeld(parameters, deliveries(failed))
                .add((Object) SettleStore.longs(failed, (one) -> one.delay().toMillis()))
                .add(
                        SettleStore.texts(failed, (one) -> SettleStore.code(one.failure())),
                        SettleStore.texts(failed, (one) -> SettleStore.message(one.failure())))
                .add(worker);
    }

    private static List<DueDelivery> deliveries(List<Attempted> attempts) {
        return attempts.stream().map(Attempted::delivery).toList();
    }

    private static List<Attempted> ofKind(Attempted.Kind kind, List<Attempted> attempts) {
        return attempts.stream().filter((one) -> one.kind() == kind).toList();
    }

    private static Settled readSettled(Pipeline.Results results) throws SQLException {
        results.skip(2);
        Set<Key> written = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            ResultSet row = results.rows();
            while (row.next()) {
                written.add(new Key(row.getLong(1), row.getString(2)));
            }
        }
        results.skip(2);
        List<Integer> retries = new ArrayList<>();
        ResultSet done = results.rows();
        while (done.next()) {
            retries.add(done.getInt(2));
        }
        return new Settled(written, retries);
    }
}
