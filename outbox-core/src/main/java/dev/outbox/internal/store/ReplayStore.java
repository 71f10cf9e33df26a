package dev.outbox.internal.store;

import dev.outbox.internal.delivery.AuditInfo;
import dev.outbox.internal.delivery.RegisteredHandler;
import dev.outbox.operations.Replay;
import dev.outbox.operations.Replay.Origin;
import dev.outbox.operations.Replay.Progress;
import dev.outbox.operations.ReplayRequest;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Stores replays and their progress. */
public final class ReplayStore {

    /** Relies on the primary keys of both partitions for the last event. */
    private static final String INSERT = """
            INSERT INTO {schema}.outbox_replay
                   (handler_id, occurred_from, occurred_to, event_types, aggregate_type, aggregate_id, rate, up_to_id,
                    requested_by, reason)
            SELECT :handler_id, :occurred_from, :occurred_to, :event_types::text[], :aggregate_type, :aggregate_id, :rate,
                   coalesce(max(o.id), 0), :actor, :reason
              FROM {schema}.outbox o
            RETURNING id
            """;

    /** Relies on outbox_replay_pk, backwards, and outbox_delivery_replay. */
    private static final String LIST = """
            SELECT r.id, r.handler_id, r.occurred_from, r.occurred_to, r.event_types, r.aggregate_type, r.aggregate_id, r.rate,
                   r.requested_by, r.reason, r.created_at, r.status,
                   r.fed_count, d.open, d.dead, r.after_id >= r.up_to_id, r.finished_at
              FROM {schema}.outbox_replay r
             CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE d.status <> 'DEAD') AS open,
                                        count(*) FILTER (WHERE d.status = 'DEAD') AS dead
                                   FROM {schema}.outbox_delivery d
                                  WHERE d.replay_id = r.id) d
             WHERE :id::bigint IS NULL OR r.id = :id
             ORDER BY r.id DESC
             LIMIT :limit
            """;

    /** Relies on outbox_replay_pk. */
    private static final String CANCEL = """
            UPDATE {schema}.outbox_replay
               SET status = 'CANCELLED',
                   cancelled_by = :actor
             WHERE id = :id
               AND status = 'RUNNING'
            """;

    /** Relies on outbox_replay_pk and outbox_delivery_replay. A replay ends with its last open delivery, cancelled or not. */
    private static final String FINISH = """
            UPDATE {schema}.outbox_replay r
               SET status = CASE WHEN r.status = 'RUNNING' THEN 'DONE' ELSE r.status END,
                   finished_at = clock_timestamp()
             WHERE r.id = :id
               AND r.finished_at IS NULL
               AND (r.status = 'CANCELLED' OR r.after_id >= r.up_to_id)
               AND NOT EXISTS (SELECT
                                 FROM {schema}.outbox_delivery d
                                WHERE d.replay_id = r.id
                                  AND d.status <> 'DEAD')
            """;

    /**
     * Relies on outbox_replay_unfinished and outbox_delivery_replay. Lanes whose head has failed do not count as due: one poisoned
     * aggregate must not stop a replay. A page is at most a second's worth: only a clock that went back makes a longer wait.
     */
    private static final String UNFINISHED = """
            SELECT r.id, r.handler_id, r.rate, r.status, r.after_id, r.up_to_id,
                   CASE WHEN r.fed_at BETWEEN now() AND now() + interval '1 second'
                        THEN ceil(extract(epoch FROM r.fed_at - now()) * 1000)::bigint ELSE 0 END,
                   (SELECT count(*)
                      FROM {schema}.outbox_delivery d
                     WHERE d.replay_id = r.id
                       AND d.status = 'DUE'
                       AND d.retry_count = 0)
              FROM {schema}.outbox_replay r
             WHERE r.finished_at IS NULL
             ORDER BY r.id
            """;

    /**
     * Relies on the primary keys of both partitions, in their order; reads outbox_claim whole, which has a row per batch. Reads a
     * window of events, however few of them match. Events that wait for their first delivery are left out. A claim older than the
     * replay may not know the handler: the events behind its first one wait until it is settled.
     */
    private static final String NEXT = """
            WITH replay AS MATERIALIZED (
                SELECT r.occurred_from, r.occurred_to, r.event_types, r.aggregate_type, r.aggregate_id, r.after_id,
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
                       o.occurred_at, o.dispatched_at
                  FROM {schema}.outbox o
                 WHERE o.id > (SELECT replay.after_id FROM replay)
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

    private static final int WINDOW = 10_000;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final DataSource dataSource;
    private final Pipeline insert;
    private final Pipeline list;
    private final Pipeline cancel;
    private final Pipeline finish;
    private final Pipeline unfinished;
    private final Pipeline next;

    public ReplayStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.insert = Pipeline.durable(schema, LONGEST_WAIT, INSERT);
        this.list = new Pipeline(schema, LIST);
        this.cancel = Pipeline.durable(schema, LONGEST_WAIT, CANCEL);
        this.finish = new Pipeline(schema, FINISH);
        this.unfinished = new Pipeline(schema, UNFINISHED);
        this.next = new Pipeline(schema, NEXT);
    }

    /** A replay that has not ended, the time until its rate allows more events, and its lanes that are due and have not failed. */
    public record Unfinished(
            long id,
            String handlerId,
            int rate,
            boolean cancelled,
            long afterId,
            long upToId,
            Duration pause,
            long due) {

        /** Returns whether every event was looked at. */
        public boolean isAllFed() {
            return afterId >= upToId;
        }
    }

    /** The next events of a replay, and the last one that was read for it. */
    public record Page(List<Selected> events, long lastId) {}

    /** An event of a replay. */
    public record Selected(long outboxId, UUID eventId, String stream, String aggregateType, String aggregateId) {}

    /** Stores a replay of the events that exist now, under the current id of its handler. */
    public long insert(ReplayRequest request, String handlerId, AuditInfo audit) throws SQLException {
        return insert.run(
                dataSource,
                (parameters) -> parameters
                        .set("handler_id", handlerId)
                        .set("occurred_from", request.occurredFrom())
                        .set("occurred_to", request.occurredTo())
                        .set(
                                "event_types",
                                request.eventTypes().isEmpty()
                                        ? null
                                        : request.eventTypes().toArray(String[]::new))
                        .set("aggregate_type", request.aggregateType())
                        .set("aggregate_id", request.aggregateId())
                        .set("rate", request.rate())
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) -> {
                    ResultSet row = results.rows();
                    row.next();
                    return row.getLong(1);
                });
    }

    /** Finds a replay. */
    public Optional<Replay> find(long id) throws SQLException {
        return list(id, 1).stream().findFirst();
    }

    /** Lists the last replays. */
    public List<Replay> list(int limit) throws SQLException {
        return list(null, limit);
    }

    private List<Replay> list(@Nullable Long id, int limit) throws SQLException {
        return list.run(dataSource, (parameters) -> parameters.set("id", id).set("limit", limit), (results) -> {
            List<Replay> replays = new ArrayList<>();
            ResultSet row = results.rows();
            while (row.next()) {
                replays.add(replay(row));
            }
            return replays;
        });
    }

    /** Cancels a running replay, so that it adds no more deliveries. */
    public boolean cancel(long id, String actor) throws SQLException {
        return cancel.run(
                dataSource,
                (parameters) -> parameters.set("actor", actor).set("id", id),
                (results) -> results.updated() == 1);
    }

    /** Ends a replay that has nothing left to do. */
    public boolean finish(long id) throws SQLException {
        return finish.run(dataSource, (parameters) -> parameters.set("id", id), (results) -> results.updated() == 1);
    }

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
                        Duration.ofMillis(row.getLong(7)),
                        row.getLong(8)));
            }
            return found;
        });
    }

    /** Finds the next events of a replay that the handler takes, without locking any. */
    public Page next(Unfinished replay, RegisteredHandler handler, int limit) throws SQLException {
        return next.run(
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
                                    row.getLong(2), eventId, row.getString(4), row.getString(5), row.getString(6)));
                        }
                    }
                    return new Page(found, lastId);
                });
    }

    private static Replay replay(ResultSet row) throws SQLException {
        Array types = row.getArray(5);
        return new Replay(
                row.getLong(1),
                new ReplayRequest(
                        row.getString(2),
                        instant(row, 3),
                        instant(row, 4),
                        types == null ? Set.of() : Set.of((String[]) types.getArray()),
                        row.getString(6),
                        row.getString(7),
                        row.getInt(8)),
                new Origin(
                        row.getString(9),
                        row.getString(10),
                        row.getObject(11, OffsetDateTime.class).toInstant()),
                Replay.Status.valueOf(row.getString(12)),
                new Progress(row.getLong(13), row.getLong(14), row.getLong(15), row.getBoolean(16), instant(row, 17)));
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
