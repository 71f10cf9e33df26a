package dev.outbox.internal.lane;

import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.lease.Fence;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.registry.Subscriptions;
import dev.outbox.internal.sql.EventRow;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** Claims lanes that are due, with their first deliveries, and renews and confirms their leases. */
final class DeliveryClaimStore {

    private static final String INCARNATION = sql("incarnation");

    static final String LOCK_DUE =
            sql("due").replace("{handlers}", LaneSql.HANDLERS).replace("{lanes of handler}", LaneSql.LANES_OF_HANDLER);
    static final String TAKE = sql("deliveries")
            .replace(
                    "{takers of locked}",
                    Subscriptions.takers("s.handler_id IN (SELECT locked.handler_id FROM locked)"))
            .replace("{taken}", LaneSql.takenBy("l"))
            .replace("{envelope}", EventRow.columnsWithoutPayload(":alone OR c.crashes > 1"));

    /** Relies on outbox_lane_due. Gives back lanes whose deliveries could not be read. */
    static final String RELEASE_UNREAD = """
            UPDATE {schema}.outbox_lane l
               SET due_at = clock_timestamp(),
                   token = NULL,
                   worker = NULL,
                   claimed_at = NULL
             WHERE l.stream = :stream
               AND l.handler_id = ANY (:handler_ids::text[])
               AND l.suspect = ANY ('{f,t}'::boolean[])
               AND l.due_at BETWEEN now() AND now() + :lease * interval '1 millisecond'
               AND l.token = :token
            """;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    /** On average. A lane that drains costs little more per delivery than a first delivery if it is claimed in batches. */
    private static final int FOLLOWERS_PER_LANE = 4;

    private final DataSource dataSource;
    private final Pipeline claimDue;
    private final Pipeline releaseUnread;
    private final Pipeline renew;
    private final Pipeline renewUnlocked;
    private final Pipeline confirm;

    DeliveryClaimStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.claimDue = new Pipeline(schema, INCARNATION, LOCK_DUE, TAKE);
        this.releaseUnread = new Pipeline(schema, LONGEST_WAIT, RELEASE_UNREAD);
        this.renew = new Pipeline(schema, LONGEST_WAIT, LaneSql.RENEW);
        this.renewUnlocked = new Pipeline(schema, LaneSql.RENEW_UNLOCKED);
        this.confirm = new Pipeline(schema, LaneSql.CONFIRM);
    }

    private static String sql(String result) {
        return NamedSql.of(DeliveryClaimStore.class, "claim-lanes.sql", result);
    }

    /** What to claim: lanes that are due from a mark on, and not leased under {@code held} tokens. */
    record Request(
            String stream,
            String worker,
            ActiveHandlers handlers,
            int batchSize,
            Set<UUID> held,
            boolean withSuspects,
            Duration lease,
            OffsetDateTime dueFrom,
            boolean alone) {

        Request(
                String stream,
                String worker,
                ActiveHandlers handlers,
                int batchSize,
                Set<UUID> held,
                boolean withSuspects,
                Duration lease,
                OffsetDateTime dueFrom) {
            this(stream, worker, handlers, batchSize, held, withSuspects, lease, dueFrom, false);
        }
    }

    /** Claims the lanes that are due, the longest waiting first, and returns the deliveries to attempt, in the order of each lane. */
    List<DueDelivery> claimDue(Request request) throws SQLException {
        UUID token = UUID.randomUUID();
        try {
            return claimDue(request, token);
        } catch (SQLException | RuntimeException | Error ex) {
            if (Causes.isUnreadable(ex)) {
                releaseUnread(request, token, ex);
            }
            throw ex;
        }
    }

    /** Finds the lanes by the token, because the deliveries were not read either. If that fails, the lease ends. */
    private void releaseUnread(Request request, UUID token, Throwable cause) {
        try {
            releaseUnread.run(
                    dataSource,
                    (parameters) -> parameters
                            .set("stream", request.stream())
                            .setTexts("handler_ids", request.handlers().byId().keySet(), (id) -> id)
                            .set("lease", request.lease().toMillis())
                            .set("token", token));
        } catch (SQLException | RuntimeException | Error ex) {
            cause.addSuppressed(ex);
        }
    }

    private List<DueDelivery> claimDue(Request request, UUID token) throws SQLException {
        return claimDue.run(
                dataSource,
                (parameters) -> request.handlers()
                        .bind(parameters)
                        .set("stream", request.stream())
                        .setTexts("held", request.held(), UUID::toString)
                        .set("due_from", request.dueFrom())
                        .set("with_suspects", request.withSuspects())
                        .set("alone", request.alone())
                        .set("batch_size", request.alone() ? 1 : request.batchSize())
                        .set("followers", request.alone() ? 0 : request.batchSize() * FOLLOWERS_PER_LANE)
                        .set("worker", request.worker())
                        .set("token", token)
                        .set("lease", request.lease().toMillis()),
                (results) -> {
                    UUID incarnation = results.row(INCARNATION).getObject(1, UUID.class);
                    Fence fence = new Fence(token, incarnation);
                    return results.list(TAKE, (row) -> readDue(row, fence));
                });
    }

    private static DueDelivery readDue(ResultSet row, Fence fence) throws SQLException {
        int column = EventRow.NEXT_COLUMN;
        return new DueDelivery(
                EventRow.read(row, row.getBoolean(column)),
                row.getString(column + 1),
                row.getInt(column + 2),
                row.getInt(column + 3),
                row.getInt(column + 4),
                fence);
    }

    /**
     * Renews leases, and returns the lanes that are still held. Waits for a lane that another transaction has locked: that one may be about
     * to let others claim it. After a second, the worker loses the lane, and keeps the others.
     */
    Set<Lane> renew(Collection<Lane> lanes, Fence fence, Duration lease) throws SQLException {
        try {
            return renew(renew, lanes, fence, lease);
        } catch (SQLException ex) {
            if (!Pipeline.isLocked(ex)) {
                throw ex;
            }
            return renew(renewUnlocked, lanes, fence, lease);
        }
    }

    private Set<Lane> renew(Pipeline pipeline, Collection<Lane> lanes, Fence fence, Duration lease)
            throws SQLException {
        return pipeline.run(
                dataSource,
                (parameters) -> bindHeld(parameters, lanes, fence).set("lease", lease.toMillis()),
                DeliveryClaimStore::readLanes);
    }

    /** Returns the lanes that still belong to their worker, and have not expired. */
    Set<Lane> confirm(Collection<Lane> lanes, Fence fence) throws SQLException {
        return confirm.run(
                dataSource, (parameters) -> bindHeld(parameters, lanes, fence), DeliveryClaimStore::readLanes);
    }

    private static Set<Lane> readLanes(Pipeline.Results results) throws SQLException {
        return new HashSet<>(results.list((row) -> new Lane(row.getString(3), row.getString(1), row.getString(2))));
    }

    static NamedSql.Parameters bindHeld(NamedSql.Parameters parameters, Collection<Lane> lanes, Fence fence)
            throws SQLException {
        return fence.bind(Lane.bind(parameters, lanes));
    }
}
