package dev.outbox.internal.store;

import dev.outbox.internal.delivery.RegisteredHandler;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** Finds what replays have to do next. Reads only, and locks nothing: whoever acts on it checks that it is still so. */
public final class ReplaySource {

    /** Relies on outbox_replay_unfinished. */
    private static final String UNFINISHED = """
            SELECT r.id, r.handler_id, r.rate, r.status, r.after_id, r.up_to_id, r.event_ids IS NOT NULL,
                   floor(extract(epoch FROM least(now() - r.fed_at, interval '1 second')) * r.rate)::integer
              FROM {schema}.outbox_replay r
             WHERE r.finished_at IS NULL
             ORDER BY r.id
            """;

    /**
     * Relies on outbox_delivery_replay, and outbox_delivery_lane_head once for each lane. Lanes that stand still since their head
     * has failed do not count: one poisoned aggregate must not end a replay.
     */
    private static final String OUTSTANDING = """
            SELECT coalesce(sum(lane.deliveries), 0)
              FROM (SELECT d.aggregate_type, d.aggregate_id, d.handler_id, count(*) AS deliveries
                      FROM {schema}.outbox_delivery d
                     WHERE d.replay_id = :id
                       AND d.status <> 'DEAD'
                     GROUP BY d.aggregate_type, d.aggregate_id, d.handler_id) lane
             WHERE coalesce((SELECT h.retry_count = 0 AND h.status = 'DUE'
                               FROM {schema}.outbox_delivery h
                              WHERE h.aggregate_type = lane.aggregate_type
                                AND h.aggregate_id = lane.aggregate_id
                                AND h.handler_id = lane.handler_id
                                AND h.head
                              LIMIT 1),
                            true)
            """;

    /**
     * Relies on the primary keys of both partitions, in their order; reads outbox_claim whole, which has a
     * row per batch in flight. Looks at a window of events at a time, however few of them match. Events that wait for their
     * first pass come by themselves, except those in a claim from before the replay, which may have been made before the
     * handler was known: what is behind such an event waits until it is settled.
     */
    private static final String NEXT = """
            WITH replay AS MATERIALIZED (
                SELECT r.occurred_from, r.occurred_to, r.published_from, r.published_to, r.event_types, r.aggregate_type,
                       r.aggregate_id, r.event_ids, r.after_id,
                       least(r.up_to_id,
                             (SELECT min(claimed.id) - 1
                                FROM {schema}.outbox_claim c
                               CROSS JOIN LATERAL unnest(c.event_ids) AS claimed (id)
                               WHERE c.claimed_at <= r.created_at
                                 AND claimed.id > r.after_id)) AS reach
                  FROM {schema}.outbox_replay r
                 WHERE r.id = :id
            ), looked_at AS MATERIALIZED (
                SELECT o.id, o.event_id, o.stream, o.aggregate_type, o.aggregate_id, o.event_type, o.occurred_at,
                       o.dispatched_at, o.published_at
                  FROM {schema}.outbox o
                 WHERE {wanted}
                   AND o.id > (SELECT replay.after_id FROM replay)
                   AND o.id <= (SELECT replay.reach FROM replay)
                 ORDER BY o.id
                 LIMIT :window
            ), matching AS MATERIALIZED (
                SELECT o.id, o.event_id, o.stream, o.aggregate_type, o.aggregate_id
                  FROM looked_at o
                 CROSS JOIN replay r
                 WHERE o.dispatched_at IS NOT NULL
                   AND (r.occurred_from IS NULL OR o.occurred_at >= r.occurred_from)
                   AND (r.occurred_to IS NULL OR o.occurred_at < r.occurred_to)
                   AND (r.published_from IS NULL OR o.published_at >= r.published_from)
                   AND (r.published_to IS NULL OR o.published_at < r.published_to)
                   AND (r.event_types IS NULL OR o.event_type = ANY (r.event_types))
                   AND (r.aggregate_type IS NULL OR o.aggregate_type = r.aggregate_type)
                   AND (r.aggregate_id IS NULL OR o.aggregate_id = r.aggregate_id)
                   AND (:all_types OR o.event_type = ANY (:event_types::text[]))
                 ORDER BY o.id
                 LIMIT :limit
            ), seen AS (
                SELECT CASE WHEN (SELECT count(*) FROM matching) = :limit THEN (SELECT max(matching.id) FROM matching)
                            WHEN (SELECT count(*) FROM looked_at) = :window THEN (SELECT max(looked_at.id) FROM looked_at)
                            ELSE replay.reach END AS id
                  FROM replay
            )
            SELECT seen.id, m.id, m.event_id, m.stream, m.aggregate_type, m.aggregate_id
              FROM seen
              LEFT JOIN matching m ON true
             ORDER BY m.id
            """;

    private static final String ANY = "true";

    /** Relies on outbox_unpublished_event_id and outbox_published_event_id. */
    private static final String CHOSEN = "o.event_id = ANY (ARRAY(SELECT unnest(replay.event_ids) FROM replay))";

    private static final int WINDOW = 10_000;

    private final DataSource dataSource;
    private final Pipeline unfinished;
    private final Pipeline outstanding;
    private final Pipeline next;
    private final Pipeline nextChosen;

    /** Creates a source. */
    public ReplaySource(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.unfinished = new Pipeline(schema, UNFINISHED);
        this.outstanding = new Pipeline(schema, OUTSTANDING);
        this.next = new Pipeline(schema, NEXT.replace("{wanted}", ANY));
        this.nextChosen = new Pipeline(schema, NEXT.replace("{wanted}", CHOSEN));
    }

    /** A replay that has not ended. */
    public record Unfinished(
            long id,
            String handlerId,
            int rate,
            boolean cancelled,
            long afterId,
            long upToId,
            boolean chosen,
            int allowed) {

        /** Says whether every event was looked at. */
        public boolean isAllFed() {
            return afterId >= upToId;
        }
    }

    /** The next events of a replay. */
    public record Next(List<Selected> events, long seenId) {}

    /** An event that is to be delivered again, unless it is open for the handler. */
    public record Selected(long outboxId, UUID eventId, String stream, String aggregateType, String aggregateId) {}

    /** Lists the replays that have not ended. */
    public List<Unfinished> unfinished() throws SQLException {
        return unfinished.run(dataSource, (parameters) -> {}, (results) -> {
            List<Unfinished> found = new ArrayList<>();
            ResultSet row = results.rows();
            while (row.next()) {
                found.add(new Unfinished(
                        row.getLong(1),
                        row.getString(2),
                        row.getInt(3),
                        row.getString(4).equals("CANCELLED"),
                        row.getLong(5),
                        row.getLong(6),
                        row.getBoolean(7),
                        row.getInt(8)));
            }
            return found;
        });
    }

    /** Counts what the handler has still to do for a replay, in lanes that flow. */
    public long outstanding(Unfinished replay) throws SQLException {
        return outstanding.run(dataSource, (parameters) -> parameters.set("id", replay.id()), (results) -> {
            ResultSet count = results.rows();
            count.next();
            return count.getLong(1);
        });
    }

    /** Looks for the next events of a replay. */
    public Next next(Unfinished replay, RegisteredHandler handler, int limit) throws SQLException {
        return (replay.chosen() ? nextChosen : next)
                .run(
                        dataSource,
                        (parameters) -> parameters
                                .set("id", replay.id())
                                .set("window", WINDOW)
                                .set("all_types", handler.isSubscribedToAll())
                                .set("event_types", handler.eventTypes().toArray(String[]::new))
                                .set("limit", limit),
                        (results) -> {
                            long seen = 0;
                            List<Selected> found = new ArrayList<>();
                            ResultSet row = results.rows();
                            while (row.next()) {
                                seen = row.getLong(1);
                                UUID eventId = row.getObject(3, UUID.class);
                                if (eventId != null) {
                                    found.add(new Selected(
                                            row.getLong(2),
                                            eventId,
                                            row.getString(4),
                                            row.getString(5),
                                            row.getString(6)));
                                }
                            }
                            return new Next(found, seen);
                        });
    }
}
