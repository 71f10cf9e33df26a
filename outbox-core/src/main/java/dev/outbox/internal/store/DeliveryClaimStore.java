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

/** Claims due deliveries of retry lanes, and renews and confirms their leases. */
public final class DeliveryClaimStore {

    /** Relies on outbox_delivery_pk. Deliveries that still belong to their worker: with its token, and in the same incarnation. */
    static final String FIND_HELD = """
            SELECT d.outbox_id, d.handler_id
              FROM unnest(:outbox_ids::bigint[], :handler_ids::text[]) AS h (outbox_id, handler_id)
              JOIN {schema}.outbox_delivery d ON d.outbox_id = h.outbox_id AND d.handler_id = h.handler_id
             WHERE d.lock_token = :token
               AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = :incarnation)
            """;

    private static final String CONFIRM = FIND_HELD + " AND d.locked_until > clock_timestamp()";

    /** Relies on outbox_delivery_pk. No other claim can take a row that another transaction holds locked: it need not be renewed. */
    static final String RENEW = "WITH held AS (" + FIND_HELD + """
                 ORDER BY d.outbox_id, d.handler_id
                   FOR UPDATE OF d SKIP LOCKED
            )
            UPDATE {schema}.outbox_delivery d
               SET locked_until = clock_timestamp() + :lease * interval '1 millisecond'
              FROM held
             WHERE d.outbox_id = held.outbox_id
               AND d.handler_id = held.handler_id
            """;

    /** On average. A lane that drains costs little more per delivery than a first delivery if it is claimed in batches. */
    private static final int FOLLOWERS_PER_LANE = 4;

    private static final Fence NONE = new Fence(new UUID(0, 0), new UUID(0, 0));

    private final DataSource dataSource;
    private final Pipeline claimDue;
    private final Pipeline renew;
    private final Pipeline confirm;

    public DeliveryClaimStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.claimDue = new Pipeline(schema, "SELECT " + ClaimSql.INCARNATION, DeliverySql.CLAIM_DUE);
        this.renew = new Pipeline(schema, RENEW, FIND_HELD);
        this.confirm = new Pipeline(schema, CONFIRM);
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

    /** Claims the deliveries that are due, the longest waiting first, and those that follow them in their lanes. */
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
                    return readDue(results.rows(), fence);
                });
    }

    private static List<DueDelivery> readDue(ResultSet row, Fence fence) throws SQLException {
        int column = EventRow.NEXT_COLUMN;
        List<DueDelivery> deliveries = new ArrayList<>();
        while (row.next()) {
            deliveries.add(new DueDelivery(
                    EventRow.read(row, row.getBoolean(column)),
                    row.getString(column + 1),
                    row.getInt(column + 2),
                    row.getInt(column + 3),
                    row.getInt(column + 4),
                    fence));
        }
        return deliveries;
    }

    /** Renews leases, and returns the deliveries that are still held. */
    public Set<DeliveryKey> renew(List<DueDelivery> deliveries, Duration lease) throws SQLException {
        return renew.run(
                dataSource,
                (parameters) -> bindHeld(parameters, deliveries).set("lease", lease.toMillis()),
                (results) -> {
                    results.skip(1);
                    return readKeys(results);
                });
    }

    /** Returns the deliveries that still belong to their worker, and have not expired. */
    public Set<DeliveryKey> confirm(List<DueDelivery> deliveries) throws SQLException {
        return confirm.run(dataSource, (parameters) -> bindHeld(parameters, deliveries), DeliveryClaimStore::readKeys);
    }

    private static Set<DeliveryKey> readKeys(Pipeline.Results results) throws SQLException {
        Set<DeliveryKey> keys = new HashSet<>();
        for (ResultSet row = results.rows(); row.next(); ) {
            keys.add(new DeliveryKey(row.getLong(1), row.getString(2)));
        }
        return keys;
    }

    /** Deliveries that were claimed at once have one fence. */
    static NamedSql.Parameters bindHeld(NamedSql.Parameters parameters, List<DueDelivery> deliveries)
            throws SQLException {
        Fence fence = deliveries.isEmpty() ? NONE : deliveries.get(0).fence();
        return parameters
                .setLongs("outbox_ids", deliveries, (one) -> one.envelope().id())
                .setTexts("handler_ids", deliveries, DueDelivery::handlerId)
                .set("token", fence.token())
                .set("incarnation", fence.incarnation());
    }
}
