package dev.outbox.internal.store;

import dev.outbox.internal.delivery.AuditInfo;
import dev.outbox.operations.Replay;
import dev.outbox.operations.Replay.Origin;
import dev.outbox.operations.Replay.Progress;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.ReplayRequest.Aggregate;
import dev.outbox.operations.ReplayRequest.Selection;
import dev.outbox.operations.ReplayRequest.TimeRange;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Stores replays and their progress. */
public final class ReplayStore {

    /** Relies on the primary keys of both partitions for the last event. */
    private static final String INSERT = """
            INSERT INTO {schema}.outbox_replay
                   (handler_id, occurred_from, occurred_to, published_from, published_to, event_types, aggregate_type,
                    aggregate_id, event_ids, rate, up_to_id, requested_by, reason)
            SELECT :handler_id, :occurred_from, :occurred_to, :published_from, :published_to, :event_types::text[], :aggregate_type,
                   :aggregate_id, :event_ids::uuid[], :rate, coalesce(max(o.id), 0), :actor, :reason
              FROM {schema}.outbox o
            RETURNING id
            """;

    /** Relies on outbox_replay_pk, backwards, and outbox_delivery_replay. */
    private static final String LIST = """
            SELECT r.id, r.handler_id, r.occurred_from, r.occurred_to, r.published_from, r.published_to, r.event_types,
                   r.aggregate_type, r.aggregate_id, r.event_ids, r.rate, r.requested_by, r.reason, r.created_at, r.status,
                   r.fed_count, d.open, d.dead, r.removed_count, r.after_id >= r.up_to_id, r.finished_at
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

    /**
     * Relies on outbox_replay_pk and outbox_delivery_replay. A running replay ends with its last open delivery, a cancelled one with
     * the last that {@link ReplayDeliveryStore#skipUntried} may still find.
     */
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
                                  AND d.status <> 'DEAD'
                                  AND (r.status = 'RUNNING' OR d.attempt_count = 0 OR d.locked_by IS NOT NULL))
            """;

    /** Relies on outbox_replay_unfinished. */
    private static final String UNFINISHED = """
            SELECT r.id, r.handler_id, r.rate, r.status, r.after_id, r.up_to_id, r.event_ids IS NOT NULL,
                   floor(extract(epoch FROM least(now() - r.fed_at, interval '1 second')) * r.rate)::integer
              FROM {schema}.outbox_replay r
             WHERE r.finished_at IS NULL
             ORDER BY r.id
            """;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final DataSource dataSource;
    private final Pipeline insert;
    private final Pipeline list;
    private final Pipeline cancel;
    private final Pipeline finish;
    private final Pipeline unfinished;

    public ReplayStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.insert = Pipeline.durable(schema, LONGEST_WAIT, INSERT);
        this.list = new Pipeline(schema, LIST);
        this.cancel = Pipeline.durable(schema, LONGEST_WAIT, CANCEL);
        this.finish = new Pipeline(schema, FINISH);
        this.unfinished = new Pipeline(schema, UNFINISHED);
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

        /** Returns whether every event was looked at. */
        public boolean isAllFed() {
            return afterId >= upToId;
        }
    }

    /** Stores a replay of the events that exist now. */
    public long insert(ReplayRequest request, AuditInfo audit) throws SQLException {
        Selection selection = request.selection();
        Aggregate aggregate = selection.aggregate();
        return insert.run(
                dataSource,
                (parameters) -> parameters
                        .set("handler_id", request.handlerId())
                        .set("occurred_from", selection.occurred().from())
                        .set("occurred_to", selection.occurred().to())
                        .set("published_from", selection.published().from())
                        .set("published_to", selection.published().to())
                        .set("event_types", texts(selection.eventTypes()))
                        .set("aggregate_type", aggregate == null ? null : aggregate.type())
                        .set("aggregate_id", aggregate == null ? null : aggregate.id())
                        .set("event_ids", texts(selection.eventIds()))
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
                        row.getBoolean(7),
                        row.getInt(8)));
            }
            return found;
        });
    }

    private static Replay replay(ResultSet row) throws SQLException {
        String aggregateType = row.getString(8);
        Selection selection = new Selection(
                new TimeRange(instant(row, 3), instant(row, 4)),
                new TimeRange(instant(row, 5), instant(row, 6)),
                elements(row, 7).map(String.class::cast).collect(Collectors.toSet()),
                aggregateType == null ? null : new Aggregate(aggregateType, row.getString(9)),
                elements(row, 10).map(UUID.class::cast).collect(Collectors.toSet()));
        return new Replay(
                row.getLong(1),
                new ReplayRequest(row.getString(2), selection, row.getInt(11)),
                new Origin(
                        row.getString(12),
                        row.getString(13),
                        row.getObject(14, OffsetDateTime.class).toInstant()),
                Replay.Status.valueOf(row.getString(15)),
                new Progress(
                        row.getLong(16),
                        row.getLong(17),
                        row.getLong(18),
                        row.getLong(19),
                        row.getBoolean(20),
                        instant(row, 21)));
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private static String @Nullable [] texts(Collection<?> values) {
        return values.isEmpty() ? null : values.stream().map(String::valueOf).toArray(String[]::new);
    }

    private static Stream<Object> elements(ResultSet row, int column) throws SQLException {
        Array array = row.getArray(column);
        return array == null ? Stream.of() : Stream.of((Object[]) array.getArray());
    }
}
