package dev.outbox.internal.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Takes back what a cancelled replay has added and nobody has attempted. */
public final class ReplayRemovalStore {

    /** Relies on outbox_delivery_replay. */
    private static final String UNTRIED = """
            SELECT d.outbox_id, d.handler_id, d.aggregate_type, d.aggregate_id
              FROM {schema}.outbox_delivery d
             WHERE d.replay_id = :replay_id
               AND d.status <> 'DEAD'
               AND d.attempt_count = 0
               AND d.locked_by IS NULL
             LIMIT :limit
            """;

    /** Relies on outbox_delivery_pk and outbox_replay_pk. What somebody has begun to attempt since then stays. */
    private static final String REMOVE = """
            WITH untried AS (
                SELECT d.outbox_id, d.handler_id
                  FROM unnest(:events::bigint[], :lane_handlers::text[]) AS u (outbox_id, handler_id)
                 CROSS JOIN LATERAL (SELECT t.outbox_id, t.handler_id
                                       FROM {schema}.outbox_delivery t
                                      WHERE t.outbox_id = u.outbox_id
                                        AND t.handler_id = u.handler_id
                                        AND t.replay_id = :replay_id
                                        AND t.status <> 'DEAD'
                                        AND t.attempt_count = 0
                                        AND t.locked_by IS NULL
                                      LIMIT 1
                                        FOR UPDATE SKIP LOCKED) d
            ), removed AS (
                DELETE FROM {schema}.outbox_delivery d
                 USING untried
                 WHERE d.outbox_id = untried.outbox_id
                   AND d.handler_id = untried.handler_id
                RETURNING d.outbox_id
            ), counted AS (
                UPDATE {schema}.outbox_replay r
                   SET removed_count = r.removed_count + (SELECT count(*) FROM removed)
                 WHERE r.id = :replay_id
            )
            SELECT count(*)
              FROM removed
            """;

    private final DataSource dataSource;
    private final Pipeline untried;
    private final Pipeline remove;

    private record Untried(long outboxId, String handlerId, String aggregateType, String aggregateId) {}

    /** Creates a store. */
    public ReplayRemovalStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.untried = new Pipeline(schema, UNTRIED);
        this.remove = new Pipeline(
                schema,
                ReplayFeedStore.LOCK_REPLAY,
                LaneSql.LOCK_EVENTS,
                LaneSql.LOCK_LANES,
                REMOVE,
                LaneSql.PROMOTE,
                LaneSql.COMPLETE);
    }

    /** Takes one batch of deliveries back. Their lanes go on, and events that were open for their sake only are as before. */
    public int remove(long replayId, int limit) throws SQLException {
        List<Untried> found = untried.run(
                dataSource,
                (parameters) -> parameters.set("replay_id", replayId).set("limit", limit),
                ReplayRemovalStore::readUntried);
        if (found.isEmpty()) {
            return 0;
        }
        return remove.run(
                dataSource,
                (parameters) -> parameters
                        .set("replay_id", replayId)
                        .setLongs("events", found, Untried::outboxId)
                        .setTexts("lane_handlers", found, Untried::handlerId)
                        .setTexts("lane_types", found, Untried::aggregateType)
                        .setTexts("lane_ids", found, Untried::aggregateId),
                (results) -> {
                    results.skip(3);
                    ResultSet count = results.rows();
                    count.next();
                    return count.getInt(1);
                });
    }

    private static List<Untried> readUntried(Pipeline.Results results) throws SQLException {
        List<Untried> found = new ArrayList<>();
        ResultSet row = results.rows();
        while (row.next()) {
            found.add(new Untried(row.getLong(1), row.getString(2), row.getString(3), row.getString(4)));
        }
        return found;
    }
}
