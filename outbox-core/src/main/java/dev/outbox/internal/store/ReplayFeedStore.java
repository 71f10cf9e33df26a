package dev.outbox.internal.store;

import dev.outbox.internal.delivery.RegisteredHandler;
import dev.outbox.internal.store.ReplaySource.Next;
import dev.outbox.internal.store.ReplaySource.Selected;
import dev.outbox.internal.store.ReplaySource.Unfinished;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** Adds the deliveries of replays to the lanes of their handlers. */
public final class ReplayFeedStore {

    /** The archive waits for it, and it for the archive: no event leaves history while a delivery of it is added. */
    private static final String LOCK_HISTORY = """
            SELECT pg_advisory_xact_lock({history lock})
            """;

    /** Relies on outbox_replay_pk. Whoever feeds or ends a replay takes turns. */
    static final String LOCK_REPLAY = """
            SELECT r.id
              FROM {schema}.outbox_replay r
             WHERE r.id = :replay_id
               FOR UPDATE
            """;

    /**
     * Relies on outbox_stream_pk. Nobody claims meanwhile: a claim is either older than the deliveries, and known to whoever is to
     * attempt one of them, or newer, and knows that they are there.
     */
    private static final String LOCK_STREAMS = """
            SELECT s.stream
              FROM {schema}.outbox_stream s
             WHERE s.stream = ANY (:streams)
             ORDER BY s.stream
               FOR SHARE
            """;

    /**
     * Relies on outbox_replay_pk, the primary keys of both partitions, outbox_delivery_pk, outbox_delivery_lane_head and
     * processed_event_pk. Fenced by the last event that was looked at. A lane goes on under the name of the handler that it has.
     * What a deduplicating handler has done is forgotten, or it would do nothing; an event that is dead for others is open again.
     */
    private static final String FEED = """
            WITH fence AS (
                SELECT r.id, r.handler_id
                  FROM {schema}.outbox_replay r
                 WHERE r.id = :replay_id
                   AND r.after_id = :after_id
                   AND r.status = 'RUNNING'
            ), inserted AS (
                INSERT INTO {schema}.outbox_delivery
                       (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status, head,
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
                       o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type, 'WAITING', false, fence.id,
                       clock_timestamp()
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
                   SET after_id = :seen_id,
                       fed_count = r.fed_count + fed.events,
                       fed_at = greatest(r.fed_at, now() - interval '1 second')
                                + fed.events::float8 / r.rate * interval '1 second'
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

    /** Relies on outbox_replay_pk. */
    private static final String PASS_OVER = """
            UPDATE {schema}.outbox_replay r
               SET after_id = :seen_id
             WHERE r.id = :replay_id
               AND r.after_id = :after_id
               AND r.status = 'RUNNING'
            """;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final DataSource dataSource;
    private final Pipeline feed;
    private final Pipeline passOver;

    /** Creates a store. */
    public ReplayFeedStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.feed = new Pipeline(
                schema,
                LONGEST_WAIT,
                LOCK_HISTORY,
                LOCK_REPLAY,
                LaneSql.LOCK_EVENTS,
                LaneSql.LOCK_LANES,
                LOCK_STREAMS,
                FEED,
                LaneSql.DEMOTE_HEAD,
                LaneSql.PROMOTE);
        this.passOver = new Pipeline(schema, PASS_OVER);
    }

    /**
     * Adds deliveries for the next events of a replay, unless another process has done so meanwhile: each to its place in its
     * lane, before later ones that nobody attempts.
     */
    public Map<String, Integer> feed(Unfinished replay, RegisteredHandler handler, Next next) throws SQLException {
        if (next.events().isEmpty()) {
            passOver.run(
                    dataSource,
                    (parameters) -> parameters
                            .set("seen_id", next.seenId())
                            .set("replay_id", replay.id())
                            .set("after_id", replay.afterId()),
                    Pipeline.Results::updated);
            return Map.of();
        }
        Lanes lanes = Lanes.of(handler, next.events());
        return feed.run(
                dataSource,
                (parameters) -> lanes.bind(parameters)
                        .set("replay_id", replay.id())
                        .set("after_id", replay.afterId())
                        .set("seen_id", next.seenId())
                        .set("names", handler.ids().toArray(String[]::new))
                        .set("streams", streams(next.events()))
                        .setLongs("events", next.events(), Selected::outboxId)
                        .setTexts(
                                "event_ids",
                                next.events(),
                                (one) -> one.eventId().toString()),
                ReplayFeedStore::readFed);
    }

    private static String[] streams(List<Selected> events) {
        return events.stream().map(Selected::stream).distinct().toArray(String[]::new);
    }

    /** The lanes of some events under every name of the handler. */
    private record Lanes(List<String> aggregateTypes, List<String> aggregateIds, List<String> handlerIds) {

        static Lanes of(RegisteredHandler handler, List<Selected> events) {
            Lanes lanes = new Lanes(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (Selected event : events) {
                for (String id : handler.ids()) {
                    lanes.aggregateTypes.add(event.aggregateType());
                    lanes.aggregateIds.add(event.aggregateId());
                    lanes.handlerIds.add(id);
                }
            }
            return lanes;
        }

        NamedSql.Parameters bind(NamedSql.Parameters parameters) throws SQLException {
            return parameters
                    .set("lane_types", aggregateTypes.toArray(String[]::new))
                    .set("lane_ids", aggregateIds.toArray(String[]::new))
                    .set("lane_handlers", handlerIds.toArray(String[]::new));
        }
    }

    private static Map<String, Integer> readFed(Pipeline.Results results) throws SQLException {
        results.skip(5);
        Map<String, Integer> fed = new TreeMap<>();
        ResultSet row = results.rows();
        while (row.next()) {
            fed.put(row.getString(1), row.getInt(2));
        }
        return fed;
    }
}
