package dev.outbox.internal.lane;

import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.lease.ClaimKey;
import dev.outbox.internal.lease.LeaseStore;
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
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** Claims lanes that are due, with their first deliveries. */
final class DeliveryClaimStore {

    private static final String LOCK_STREAM = sql("stream");

    static final String LOCK_DUE =
            sql("due").replace("{handlers}", LaneSql.HANDLERS).replace("{lanes of handler}", LaneSql.LANES_OF_HANDLER);
    static final String TAKE = sql("deliveries")
            .replace(
                    "{takers of locked}",
                    Subscriptions.takers("s.handler_id IN (SELECT locked.handler_id FROM locked)"))
            .replace("{taken}", LaneSql.takenBy("l"))
            .replace("{envelope}", EventRow.columnsWithoutPayload(":alone OR c.crashes > 1"));

    /** On average. A lane that drains costs little more per delivery than a first delivery if it is claimed in batches. */
    private static final int FOLLOWERS_PER_LANE = 4;

    private final DataSource dataSource;
    private final Pipeline claimDue;
    private final LeaseStore leases;
    private final LostEvents lostEvents;

    DeliveryClaimStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.claimDue = new Pipeline(schema, LOCK_STREAM, LOCK_DUE, TAKE);
        this.leases = new LeaseStore(dataSource, schema);
        this.lostEvents = new LostEvents(dataSource, schema);
    }

    private static String sql(String result) {
        return NamedSql.of(DeliveryClaimStore.class, "claim-lanes.sql", result);
    }

    /** What to claim: lanes that are due from a mark on. */
    record Request(
            String stream,
            String worker,
            ActiveHandlers handlers,
            int batchSize,
            boolean withSuspects,
            Duration lease,
            OffsetDateTime dueFrom,
            boolean alone) {

        Request(
                String stream,
                String worker,
                ActiveHandlers handlers,
                int batchSize,
                boolean withSuspects,
                Duration lease,
                OffsetDateTime dueFrom) {
            this(stream, worker, handlers, batchSize, withSuspects, lease, dueFrom, false);
        }

        NamedSql.Parameters bind(NamedSql.Parameters parameters) throws SQLException {
            return handlers.bind(parameters)
                    .set("stream", stream)
                    .set("due_from", dueFrom)
                    .set("batch_size", alone ? 1 : batchSize);
        }
    }

    /** Number of lanes that were due, and deliveries of those that could be taken. */
    private record Taken(long lanes, List<DueDelivery> deliveries) {

        boolean isPart() {
            return deliveries.stream().map(Lane::of).distinct().count() < lanes;
        }
    }

    /** Claims the lanes that are due, the longest waiting first, and returns the deliveries to attempt, in the order of each lane. */
    List<DueDelivery> claimDue(Request request) throws SQLException {
        UUID token = UUID.randomUUID();
        try {
            return claimDue(request, token);
        } catch (SQLException | RuntimeException | Error ex) {
            if (Causes.isUnreadable(ex)) {
                leases.releaseUnread(request.stream(), token, ex);
            }
            throw ex;
        }
    }

    private List<DueDelivery> claimDue(Request request, UUID token) throws SQLException {
        Taken taken = claimDue.run(
                dataSource,
                (parameters) -> request.bind(parameters)
                        .set("with_suspects", request.withSuspects())
                        .set("alone", request.alone())
                        .set("followers", request.alone() ? 0 : request.batchSize() * FOLLOWERS_PER_LANE)
                        .set("worker", request.worker())
                        .set("token", token)
                        .set("lease", request.lease().toMillis()),
                (results) ->
                        new Taken(results.row(LOCK_DUE).getLong(2), results.list(TAKE, (row) -> readDue(row, token))));
        if (taken.isPart()) {
            lostEvents.removeDeliveries(request.stream(), request::bind);
        }
        return taken.deliveries();
    }

    private static DueDelivery readDue(ResultSet row, UUID token) throws SQLException {
        int column = EventRow.NEXT_COLUMN;
        return new DueDelivery(
                EventRow.read(row, row.getBoolean(column)),
                row.getString(column + 1),
                row.getInt(column + 2),
                row.getInt(column + 3),
                row.getInt(column + 4),
                new ClaimKey(row.getLong(column + 5), token));
    }
}
