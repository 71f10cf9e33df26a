package dev.outbox.internal.store;

import dev.outbox.internal.delivery.RegisteredHandler;
import dev.outbox.internal.store.ReplayStore.Page;
import dev.outbox.internal.store.ReplayStore.Selected;
import dev.outbox.internal.store.ReplayStore.Unfinished;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** Adds the deliveries of replays to the lanes of their handlers, and skips those of cancelled replays. */
public final class ReplayDeliveryStore {

    /** Retention takes it shared: no event leaves history while a delivery of it is added. */
    private static final String LOCK_HISTORY = """
            SELECT pg_advisory_xact_lock(hashtextextended('outbox history of {schema}', 0))
            """;

    /** Relies on outbox_replay_pk. Taken before other locks by every transaction that changes the deliveries of a replay. */
    private static final String LOCK_REPLAY = """
            SELECT r.id
              FROM {schema}.outbox_replay r
             WHERE r.id = :replay_id
               FOR UPDATE
            """;

    /** Relies on outbox_stream_pk. No claim comes between: an older one is seen by the deliveries, a newer one sees them. */
    private static final String LOCK_STREAMS = """
            SELECT s.stream
              FROM {schema}.outbox_stream s
             WHERE s.stream = ANY (:streams)
             ORDER BY s.stream
               FOR SHARE
            """;

    /**
     * Relies on outbox_replay_pk, the primary keys of both partitions, outbox_delivery_pk, outbox_delivery_lane_head and
     * processed_event_pk. Fenced by the last event that was read. A lane keeps the name of the handler that it has. A deduplicating
     * handler would ignore an event that it has processed. An event that is dead for another handler is open again.
     */
    static final String ADD = """
            WITH fence AS (
                SELECT r.id, r.handler_id
                  FROM {schema}.outbox_replay r
                 WHERE r.id = :replay_id
                   AND r.after_id = :after_id
                   AND r.status = 'RUNNING'
            ), inserted AS (
                INSERT INTO {schema}.outbox_delivery
                       (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, source, status, head,
                        replay_id, created_at)
                SELECT o.id,
                       coalesce((SELECT h.handler_id
                                   FROM {schema}.outbox_delivery h
                                  WHERE h.aggregate_type = o.aggregate_type
                                    AND h.aggregate_id = o.aggregate_id
                                    AND h.handler_id = ANY (:names::text[])
                                    AND h.head
                                  LIMIT 1),
                                fence.handler_id),
                       o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type, {schema}.outbox_source(o.headers),
                       'WAITING', false, fence.id, clock_timestamp()
                  FROM {schema}.outbox o
                 CROSS JOIN fence
                 WHERE o.id = ANY (:events::bigint[])
                   AND o.dispatched_at IS NOT NULL
                   AND (SELECT d.outbox_id
                          FROM {schema}.outbox_delivery d
                         WHERE d.outbox_id = o.id
                           AND d.handler_id = ANY (:names::text[])
                         LIMIT 1) IS NULL
                RETURNING outbox_id, stream
            ), counted AS (
                UPDATE {schema}.outbox_replay r
                   SET after_id = :read_id,
                       fed_count = r.fed_count + fed.events,
                       fed_at = now() + fed.events::float8 / r.rate * interval '1 second'
                  FROM fence
                 CROSS JOIN (SELECT count(*) AS events FROM inserted) fed
                 WHERE r.id = fence.id
            ), forgotten AS (
                DELETE FROM {schema}.processed_event p
                 WHERE p.event_id = ANY (ARRAY(SELECT e.event_id
                                                 FROM unnest(:events::bigint[], :event_ids::uuid[]) AS e (id, event_id)
                                                 JOIN inserted ON inserted.outbox_id = e.id))
                   AND p.handler_id = ANY (:names::text[])
            ), reopened AS (
                UPDATE {schema}.outbox_unpublished o
                   SET status = 'RETRYING',
                       next_retry_at = clock_timestamp()
                 WHERE o.id = ANY (ARRAY(SELECT inserted.outbox_id FROM inserted))
                   AND o.status = 'DEAD'
            )
            SELECT inserted.stream, count(*)
              FROM inserted
             GROUP BY inserted.stream
            """;

    /** Relies on outbox_delivery_replay. */
    private static final String FIND_UNTRIED = """
            SELECT d.outbox_id, d.handler_id, d.stream, d.aggregate_type, d.aggregate_id
              FROM {schema}.outbox_delivery d
             WHERE d.replay_id = :replay_id
               AND d.status <> 'DEAD'
               AND d.attempt_count = 0
               AND d.locked_by IS NULL
             LIMIT :limit
            """;

    /** Relies on outbox_delivery_pk and outbox_replay_pk. A delivery that a worker has claimed meanwhile stays. */
    static final String SKIP_UNTRIED = """
            WITH untried AS (
                SELECT d.outbox_id, d.handler_id
                  FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
                 CROSS JOIN LATERAL (SELECT *
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.outbox_id = k.outbox_id
                                        AND d.handler_id = k.handler_id
                                      LIMIT 1
                                        FOR UPDATE SKIP LOCKED) d
                 WHERE d.replay_id = :replay_id
                   AND d.status <> 'DEAD'
                   AND d.attempt_count = 0
                   AND d.locked_by IS NULL
            ), skipped AS (
                DELETE FROM {schema}.outbox_delivery d
                 USING untried u
                 WHERE d.outbox_id = u.outbox_id AND d.handler_id = u.handler_id
                RETURNING d.outbox_id
            )
            UPDATE {schema}.outbox_replay r
               SET fed_count = r.fed_count - (SELECT count(*) FROM skipped)
             WHERE r.id = :replay_id
            RETURNING (SELECT count(*) FROM skipped)
            """;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final DataSource dataSource;
    private final Pipeline add;
    private final Pipeline findUntried;
    private final Pipeline skipUntried;

    public ReplayDeliveryStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.add = new Pipeline(
                schema,
                LONGEST_WAIT,
                LOCK_HISTORY,
                LOCK_REPLAY,
                LaneSql.LOCK_EVENTS,
                LaneSql.LOCK_LANES,
                LOCK_STREAMS,
                ADD,
                LaneSql.DEMOTE_HEAD,
                LaneSql.PROMOTE);
        this.findUntried = new Pipeline(schema, FIND_UNTRIED);
        this.skipUntried = new Pipeline(
                schema,
                LOCK_REPLAY,
                LaneSql.LOCK_EVENTS,
                LaneSql.LOCK_LANES,
                SKIP_UNTRIED,
                LaneSql.PROMOTE,
                LaneSql.COMPLETE);
    }

    /** Adds deliveries for a page of events, unless another process has, and returns how many each stream got. */
    public Map<String, Integer> add(Unfinished replay, RegisteredHandler handler, Page page) throws SQLException {
        List<Lane> lanes = page.events().stream()
                .flatMap((event) ->
                        handler.ids().stream().map((id) -> new Lane(id, event.aggregateType(), event.aggregateId())))
                .toList();
        return add.run(
                dataSource,
                (parameters) -> Lane.bind(parameters, lanes)
                        .set("replay_id", replay.id())
                        .set("after_id", replay.afterId())
                        .set("read_id", page.lastId())
                        .setTexts("names", handler.ids(), (id) -> id)
                        .setTexts("streams", page.events(), Selected::stream)
                        .setLongs("events", page.events(), Selected::outboxId)
                        .setTexts(
                                "event_ids",
                                page.events(),
                                (event) -> event.eventId().toString()),
                (results) -> {
                    results.skip(5);
                    Map<String, Integer> added = new TreeMap<>();
                    ResultSet row = results.rows();
                    while (row.next()) {
                        added.put(row.getString(1), row.getInt(2));
                    }
                    return added;
                });
    }

    /** Skips some of the deliveries of a replay that no worker has attempted, and completes the events that waited for them only. */
    public int skipUntried(long replayId, int limit) throws SQLException {
        List<DeliveryRef> untried = findUntried.run(
                dataSource,
                (parameters) -> parameters.set("replay_id", replayId).set("limit", limit),
                (results) -> DeliveryRef.read(results.rows()));
        if (untried.isEmpty()) {
            return 0;
        }
        return skipUntried.run(
                dataSource,
                (parameters) -> DeliveryRef.bind(parameters, untried).set("replay_id", replayId),
                (results) -> {
                    results.skip(3);
                    ResultSet row = results.rows();
                    row.next();
                    return row.getInt(1);
                });
    }
}
