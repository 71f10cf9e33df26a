package dev.outbox.internal.store;

import dev.outbox.internal.delivery.RegisteredHandler;
import dev.outbox.internal.store.ReplayStore.Unfinished;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

/** Finds the next events of a replay, without locking any. */
public final class ReplayEventStore {

    /**
     * Relies on the primary keys of both partitions, in their order; reads outbox_claim whole, which has a row per batch. Reads a
     * window of events, however few of them match. Events that wait for their first delivery are left out. A claim older than the
     * replay may not know the handler: the events behind its first one wait until it is settled.
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
            ), read AS MATERIALIZED (
                SELECT o.id, o.event_id, o.stream, o.aggregate_type, o.aggregate_id, o.event_type, o.headers,
                       o.occurred_at, o.dispatched_at, o.published_at
                  FROM {schema}.outbox o
                 WHERE {chosen}
                   AND o.id > (SELECT replay.after_id FROM replay)
                   AND o.id <= (SELECT replay.reach FROM replay)
                 ORDER BY o.id
                 LIMIT :window
            ), matching AS MATERIALIZED (
                SELECT o.id, o.event_id, o.stream, o.aggregate_type, o.aggregate_id
                  FROM read o
                 CROSS JOIN replay r
                 WHERE o.dispatched_at IS NOT NULL
                   AND (r.occurred_from IS NULL OR o.occurred_at >= r.occurred_from)
                   AND (r.occurred_to IS NULL OR o.occurred_at < r.occurred_to)
                   AND (r.published_from IS NULL OR o.published_at >= r.published_from)
                   AND (r.published_to IS NULL OR o.published_at < r.published_to)
                   AND (r.event_types IS NULL OR o.event_type = ANY (r.event_types))
                   AND (r.aggregate_type IS NULL OR o.aggregate_type = r.aggregate_type)
                   AND (r.aggregate_id IS NULL OR o.aggregate_id = r.aggregate_id)
                   AND EXISTS (SELECT FROM {rows} AS s (handler_id, event_type, aggregate_type, stream, source) WHERE {taken})
                 ORDER BY o.id
                 LIMIT :limit
            ), reached AS (
                SELECT CASE WHEN (SELECT count(*) FROM matching) = :limit THEN (SELECT max(matching.id) FROM matching)
                            WHEN (SELECT count(*) FROM read) = :window THEN (SELECT max(read.id) FROM read)
                            ELSE replay.reach END AS id
                  FROM replay
            )
            SELECT reached.id, m.id, m.event_id, m.stream, m.aggregate_type, m.aggregate_id
              FROM reached
              LEFT JOIN matching m ON true
             ORDER BY m.id
            """.replace("{rows}", Subscriptions.ROWS)
            .replace("{taken}", Subscriptions.takes("o", "{schema}.outbox_source(o.headers)"));

    /** Relies on outbox_unpublished_event_id and outbox_published_event_id. */
    private static final String CHOSEN = "o.event_id = ANY (ARRAY(SELECT unnest(replay.event_ids) FROM replay))";

    private static final int WINDOW = 10_000;

    private final DataSource dataSource;
    private final Pipeline next;
    private final Pipeline nextChosen;

    public ReplayEventStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.next = new Pipeline(schema, NEXT.replace("{chosen}", "true"));
        this.nextChosen = new Pipeline(schema, NEXT.replace("{chosen}", CHOSEN));
    }

    /** The next events of a replay, and the last one that was read for it. */
    public record Page(List<Selected> events, long lastId) {}

    /** An event of a replay. */
    public record Selected(long outboxId, UUID eventId, String stream, String aggregateType, String aggregateId) {}

    /** Finds the next events of a replay that the handler takes. */
    public Page next(Unfinished replay, RegisteredHandler handler, int limit) throws SQLException {
        return (replay.chosen() ? nextChosen : next)
                .run(
                        dataSource,
                        (parameters) -> Subscriptions.bind(parameters, Map.of(handler.id(), handler.subscriptions()))
                                .set("id", replay.id())
                                .set("window", WINDOW)
                                .set("limit", limit),
                        (results) -> {
                            long lastId = 0;
                            List<Selected> found = new ArrayList<>();
                            ResultSet row = results.rows();
                            while (row.next()) {
                                lastId = row.getLong(1);
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
                            return new Page(found, lastId);
                        });
    }
}
