package dev.outbox.operations.internal.replay;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.lane.DeliveryRef;
import dev.outbox.internal.lane.LaneSql;
import dev.outbox.internal.registry.RegisteredHandler;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Count;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.Replay;
import dev.outbox.operations.Replay.Kind;
import dev.outbox.operations.Replay.Origin;
import dev.outbox.operations.Replay.Progress;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.internal.inspect.DeliveryRow;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Stores replays and bulks, and adds the deliveries of replays to the lanes of their handlers. */
final class ReplayStore {

    private static final Logger log = LoggerFactory.getLogger(ReplayStore.class);

    /**
     * Relies on the primary keys of both partitions for the last event, and on outbox_unpublished_event_id and outbox_published_event_id for
     * the only one. Without events, there is nothing to add.
     */
    private static final String INSERT = """
            WITH changed AS (
                INSERT INTO {schema}.outbox_replay
                       (kind, handler_id, occurred_from, occurred_to, event_types, aggregate_type, aggregate_id, event_id, deliveries, rate,
                        after_id, up_to_id, finished_at, requested_by, reason, total_count, command_id)
                SELECT :kind, :handler_id, :occurred_from, :occurred_to, :replayed_types::text[], :aggregate_type, :aggregate_id,
                       :event_id::uuid, :deliveries::jsonb, :rate, CASE WHEN :event_id::uuid IS NULL THEN 0 ELSE last.id - 1 END,
                       coalesce(last.id, 0), CASE WHEN last.id IS NULL THEN now() END, :actor, :reason, :total::bigint,
                       CASE WHEN :deliveries::jsonb IS NOT NULL THEN nextval('{schema}.outbox_operation_id_seq') END
                  FROM (SELECT CASE WHEN :event_id::uuid IS NULL THEN (SELECT max(o.id) FROM {schema}.outbox o)
                                    ELSE (SELECT o.id FROM {schema}.outbox o WHERE o.event_id = :event_id::uuid LIMIT 1) END AS id) last
                 WHERE :event_id::uuid IS NULL
                    OR last.id IS NOT NULL
                RETURNING id, handler_id, reason, kind
            )
            """ + recorded("START_REPLAY", "changed.kind = 'REPLAY'");

    /**
     * Relies on outbox_replay_pk, backwards, outbox_delivery_replay and outbox_delivery_retry. The status is no constant: the index of dead
     * letters would be read whole.
     */
    static final String LIST = """
            SELECT r.id, r.handler_id, r.occurred_from, r.occurred_to, r.event_types, r.aggregate_type, r.aggregate_id, r.rate,
                   r.requested_by, r.reason, r.created_at,
                   CASE WHEN r.cancelled_by IS NOT NULL THEN 'CANCELLED'
                        WHEN r.finished_at IS NULL OR r.kind = 'REPLAY' AND d.open > 0 THEN 'RUNNING'
                        ELSE 'DONE' END,
                   r.fed_count, d.open, d.dead, r.after_id >= r.up_to_id, r.finished_at,
                   r.kind, r.event_id, r.deliveries::text, r.busy_count, d.open < :most, d.dead < :most,
                   r.total_count, extract(epoch FROM greatest(coalesce(r.finished_at, clock_timestamp()), r.fed_at) - r.created_at)
              FROM {schema}.outbox_replay r
             CROSS JOIN LATERAL (SELECT sum(counted.deliveries) FILTER (WHERE kind.status = 'OPEN') AS open,
                                        least(sum(counted.deliveries) FILTER (WHERE kind.status <> 'OPEN'), :most) AS dead
                                   FROM unnest('{BLOCKING,DEAD,OPEN}'::text[]) AS kind (status)
                                  CROSS JOIN LATERAL (SELECT count(*) AS deliveries
                                                        FROM (SELECT d.status
                                                                FROM {schema}.outbox_delivery d
                                                               WHERE r.kind = 'REPLAY'
                                                                 AND d.replay_id = r.id
                                                                 AND d.status = kind.status
                                                               UNION ALL
                                                              SELECT d.status
                                                                FROM {schema}.outbox_delivery d
                                                               WHERE r.kind = 'RETRY'
                                                                 AND d.retry_id = r.id
                                                                 AND d.status = kind.status
                                                               LIMIT :most) d) counted) d
             WHERE :id::bigint IS NULL OR r.id = :id
             ORDER BY r.id DESC
             LIMIT :limit
            """;

    /** Relies on outbox_replay_pk. */
    private static final String CANCEL = """
            WITH changed AS (
                UPDATE {schema}.outbox_replay
                   SET cancelled_by = :actor,
                       finished_at = clock_timestamp()
                 WHERE id = :id
                   AND finished_at IS NULL
                RETURNING id, handler_id, reason
            )
            """ + recorded("CANCEL_REPLAY", "true");

    /**
     * Relies on outbox_replay_unfinished and outbox_lane_due. Counts the lanes of the handler that are due: those that have failed back off,
     * and one poisoned aggregate must not stop a replay. A page is at most a second's worth: only a clock that went back makes a longer
     * wait.
     */
    private static final String UNFINISHED = """
            SELECT r.id, r.handler_id, r.rate, r.after_id, r.up_to_id,
                   CASE WHEN r.fed_at BETWEEN now() AND now() + interval '1 second'
                        THEN ceil(extract(epoch FROM r.fed_at - now()) * 1000)::bigint ELSE 0 END,
                   (SELECT count(*)
                      FROM {schema}.outbox_stream s
                     CROSS JOIN unnest('{f,t}'::boolean[]) AS kind (suspect)
                     CROSS JOIN LATERAL (SELECT l.due_at
                                           FROM {schema}.outbox_free_lanes(s.stream, r.handler_id, kind.suspect) l
                                          WHERE l.due_at <= now()
                                          LIMIT {most}) l
                     WHERE r.kind = 'REPLAY'),
                   r.kind
              FROM {schema}.outbox_replay r
             WHERE r.finished_at IS NULL
             ORDER BY r.id
            """.replace("{most}", Integer.toString(Count.MOST));

    /** Whether a replay adds an event: what it selects, and its handler takes. */
    private static final String MATCHES = """
            o.dispatched_at IS NOT NULL
                   AND o.erased_at IS NULL
                   AND (r.occurred_from IS NULL OR o.occurred_at >= r.occurred_from)
                   AND (r.occurred_to IS NULL OR o.occurred_at < r.occurred_to)
                   AND (r.event_types IS NULL OR o.event_type = ANY (r.event_types))
                   AND (r.aggregate_type IS NULL OR o.aggregate_type = r.aggregate_type)
                   AND (r.aggregate_id IS NULL OR o.aggregate_id = r.aggregate_id)
                   AND EXISTS (SELECT
                                 FROM unnest(:taken_types::text[], :taken_aggregates::text[], :taken_streams::text[], :taken_sources::text[])
                                      AS s (event_type, aggregate_type, stream, source)
                                WHERE {schema}.outbox_takes(s.event_type, s.aggregate_type, s.stream, s.source, o.event_type,
                                                            o.aggregate_type, o.stream, {schema}.outbox_source(o.headers)))""";

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
                       o.occurred_at, o.dispatched_at, o.erased_at
                  FROM {schema}.outbox o
                 WHERE o.id > (SELECT replay.after_id FROM replay)
                   AND o.id <= (SELECT replay.reach FROM replay)
                 ORDER BY o.id
                 LIMIT :window
            ), matching AS MATERIALIZED (
                SELECT o.id, o.event_id, o.stream, o.aggregate_type, o.aggregate_id
                  FROM read o
                 CROSS JOIN replay r
                 WHERE {matches}
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
            """.replace("{matches}", MATCHES);

    /** Retention takes it shared: no event leaves history while a delivery of it is added. */
    private static final String LOCK_HISTORY = """
            SELECT pg_advisory_xact_lock(hashtextextended('outbox history of {schema}', 0))
            """;

    /** Relies on outbox_replay_pk. Taken before other locks. */
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
     * Relies on outbox_replay_pk, the primary keys of both partitions, outbox_delivery_pk, outbox_delivery_lane and processed_event_pk.
     * Fenced by the last event that was read. A lane keeps the name of the handler that it has. A deduplicating handler would ignore an
     * event that it has processed.
     */
    static final String ADD = """
            WITH fence AS (
                SELECT r.id, r.handler_id
                  FROM {schema}.outbox_replay r
                 WHERE r.id = :replay_id
                   AND r.after_id = :after_id
                   AND r.finished_at IS NULL
            ), inserted AS (
                INSERT INTO {schema}.outbox_delivery
                       (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, source, status,
                        next_retry_at, replay_id, created_at, failures)
                SELECT o.id,
                       coalesce((SELECT open.handler_id
                                   FROM {schema}.outbox_delivery open
                                  WHERE open.aggregate_type = o.aggregate_type
                                    AND open.aggregate_id = o.aggregate_id
                                    AND open.handler_id = ANY (:names::text[])
                                    AND open.status <> 'DEAD'
                                  LIMIT 1),
                                fence.handler_id),
                       o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type, {schema}.outbox_source(o.headers),
                       'OPEN', clock_timestamp(), fence.id, clock_timestamp(), coalesce(o.failures -> fence.handler_id, '[]')
                  FROM {schema}.outbox o
                 CROSS JOIN fence
                 WHERE o.id = ANY (:events::bigint[])
                   AND o.dispatched_at IS NOT NULL
                   AND o.erased_at IS NULL
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
                       finished_at = CASE WHEN r.up_to_id <= :read_id THEN clock_timestamp() END,
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
            )
            SELECT DISTINCT inserted.stream
              FROM inserted
            """;

    /** A selection that this release reads in part would change too much. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private static final int WINDOW = 10_000;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
    private static final Duration LONGEST_WAIT_TO_ADD = Duration.ofSeconds(1);

    /**
     * Planned with its values. Relies on outbox_unpublished_event_id and outbox_published_event_id for one event; otherwise reads a window
     * of events, in no order: a count needs none.
     */
    private static final String COUNT = """
            WITH replay AS (
                SELECT :occurred_from::timestamptz AS occurred_from, :occurred_to::timestamptz AS occurred_to,
                       :replayed_types::text[] AS event_types, :aggregate_type::text AS aggregate_type, :aggregate_id::text AS aggregate_id
            )
            SELECT count(*) FILTER (WHERE {matches}), count(*) < :window
              FROM (SELECT o.stream, o.aggregate_type, o.aggregate_id, o.event_type, o.headers, o.occurred_at, o.dispatched_at, o.erased_at
                      FROM {schema}.outbox o
                     WHERE :event_id::uuid IS NULL
                        OR o.event_id = :event_id::uuid
                     LIMIT :window) o
             CROSS JOIN replay r
            """.replace("{matches}", MATCHES);

    private final DataSource dataSource;
    private final Pipeline insert;
    private final Pipeline list;
    private final Pipeline cancel;
    private final Pipeline unfinished;
    private final Pipeline next;
    private final Pipeline add;
    private final Pipeline count;

    ReplayStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.insert = Pipeline.durable(schema, LONGEST_WAIT, INSERT);
        this.list = new Pipeline(schema, Pipeline.INSPECT, LIST);
        this.cancel = Pipeline.durable(schema, LONGEST_WAIT, CANCEL);
        this.unfinished = new Pipeline(schema, UNFINISHED);
        this.next = new Pipeline(schema, NEXT);
        this.count = new Pipeline(schema, Pipeline.PLAN_WITH_VALUES, COUNT);
        this.add = new Pipeline(
                schema, LONGEST_WAIT_TO_ADD, LaneSql.changing(List.of(LOCK_HISTORY, LOCK_REPLAY), LOCK_STREAMS, ADD));
    }

    /** Ends a statement that changes a replay: writes the operation, with the number of the replay, and returns this. Of a bulk, each delivery is recorded. */
    private static String recorded(String action, String condition) {
        return """
                , recorded AS (
                    INSERT INTO {schema}.outbox_operation (performed_by, action, reason, handler_id)
                    SELECT :actor, '{action}', '#' || changed.id || ' ' || changed.reason, changed.handler_id
                      FROM changed
                     WHERE {condition}
                )
                SELECT changed.id FROM changed
                """.replace("{action}", action).replace("{condition}", condition);
    }

    /**
     * A replay that has events to add, the time until its rate allows more, and the lanes of its handler that are due; or a bulk that has
     * deliveries to change. Its kind may be one of a newer release.
     */
    record Unfinished(
            long id, String handlerId, int rate, long afterId, long upToId, Duration pause, long due, String kind) {}

    /** The next events of a replay, and the last one that was read for it. */
    record Page(List<Selected> events, long lastId) {}

    /** An event of a replay. */
    record Selected(long outboxId, UUID eventId, String stream, String aggregateType, String aggregateId) {

        private DeliveryRef to(String handlerId) {
            return new DeliveryRef(outboxId, handlerId, stream, aggregateType, aggregateId);
        }
    }

    /**
     * Stores a replay of the events that exist now, under the current id of its handler; or a bulk of the selected deliveries. Returns empty if
     * the requested event does not exist.
     */
    Optional<Long> insert(
            Kind kind,
            ReplayRequest request,
            @Nullable DeliverySelection deliveries,
            @Nullable Long total,
            String handlerId,
            AuditInfo audit)
            throws SQLException {
        return insert.run(
                dataSource,
                (parameters) -> bind(parameters, request)
                        .set("kind", kind.name())
                        .set("deliveries", deliveries == null ? null : JSON.writeValueAsString(deliveries))
                        .set("total", total)
                        .set("handler_id", handlerId)
                        .set("rate", request.rate())
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) -> results.list((row) -> row.getLong(1)).stream().findFirst());
    }

    private static NamedSql.Parameters bind(NamedSql.Parameters parameters, ReplayRequest request) throws SQLException {
        return parameters
                .set("occurred_from", request.occurredFrom())
                .set("occurred_to", request.occurredTo())
                .set(
                        "replayed_types",
                        request.eventTypes().isEmpty()
                                ? null
                                : request.eventTypes().toArray(String[]::new))
                .set("aggregate_type", request.aggregateType())
                .set("aggregate_id", request.aggregateId())
                .set("event_id", request.eventId());
    }

    private static NamedSql.Parameters bind(NamedSql.Parameters parameters, RegisteredHandler handler)
            throws SQLException {
        Set<Subscription> taken = handler.subscriptions();
        return parameters
                .setTexts("taken_types", taken, Subscription::eventType)
                .setTexts("taken_aggregates", taken, Subscription::aggregateType)
                .setTexts("taken_streams", taken, Subscription::stream)
                .setTexts("taken_sources", taken, Subscription::source);
    }

    /** Counts the events of a request that the handler takes, among the first that the database finds. */
    Count count(ReplayRequest request, RegisteredHandler handler) throws SQLException {
        return count.run(
                dataSource,
                (parameters) -> bind(bind(parameters, handler), request).set("window", Count.MOST),
                (results) -> {
                    ResultSet row = results.row();
                    return new Count(row.getLong(1), row.getBoolean(2));
                });
    }

    /** Finds a replay. Throws an exception if a newer release has started it, in words that this one does not know. */
    Replay find(long id) throws SQLException {
        return list(id, 1, ReplayStore::replay).get(0);
    }

    /** Lists the last replays, or one of them, without those that only a newer release knows. */
    List<Replay> list(@Nullable Long id, int limit) throws SQLException {
        return list(id, limit, ReplayStore::known).stream()
                .flatMap(Optional::stream)
                .toList();
    }

    private <T> List<T> list(@Nullable Long id, int limit, Pipeline.Row<T> reader) throws SQLException {
        return list.run(
                dataSource,
                (parameters) -> parameters
                        .set("id", id)
                        .set("limit", limit)
                        .set("most", id == null ? Count.MOST_OF_EACH : Count.MOST),
                (results) -> results.list(reader));
    }

    /** Cancels a running replay, so that it adds no more deliveries. */
    boolean cancel(long id, String actor) throws SQLException {
        return cancel.run(
                dataSource,
                (parameters) -> parameters.set("actor", actor).set("id", id),
                (results) -> results.rows().next());
    }

    /** Lists the replays that have events to add. */
    List<Unfinished> unfinished() throws SQLException {
        return unfinished.run(
                dataSource,
                (parameters) -> {},
                (results) -> results.list((row) -> new Unfinished(
                        row.getLong(1),
                        row.getString(2),
                        row.getInt(3),
                        row.getLong(4),
                        row.getLong(5),
                        Duration.ofMillis(row.getLong(6)),
                        row.getLong(7),
                        row.getString(8))));
    }

    /** Finds the next events of a replay that the handler takes, without locking any. */
    Page next(Unfinished replay, RegisteredHandler handler, int limit) throws SQLException {
        return next.run(
                dataSource,
                (parameters) -> bind(parameters, handler)
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

    /** Adds deliveries for a page of events, unless another process has, and returns their streams. */
    List<String> add(Unfinished replay, RegisteredHandler handler, Page page) throws SQLException {
        List<DeliveryRef> added = page.events().stream()
                .flatMap((event) -> handler.ids().stream().map(event::to))
                .toList();
        return add.run(
                dataSource,
                (parameters) -> DeliveryRef.bindLanes(parameters, added)
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
                (results) -> results.list(ADD, (row) -> row.getString(1)));
    }

    private static Optional<Replay> known(ResultSet row) throws SQLException {
        try {
            return Optional.of(replay(row));
        } catch (IllegalArgumentException | JacksonException ex) {
            log.warn(
                    "Replay {} ({}) is not listed, because only a newer release knows it. Upgrade, or cancel it by its number",
                    row.getLong(1),
                    row.getString(18));
            return Optional.empty();
        }
    }

    private static Replay replay(ResultSet row) throws SQLException {
        Array types = row.getArray(5);
        String deliveries = row.getString(20);
        return new Replay(
                row.getLong(1),
                Kind.valueOf(row.getString(18)),
                new ReplayRequest(
                        row.getString(2),
                        DeliveryRow.instant(row, 3),
                        DeliveryRow.instant(row, 4),
                        types == null ? Set.of() : Set.of((String[]) types.getArray()),
                        row.getString(6),
                        row.getString(7),
                        row.getObject(19, UUID.class),
                        row.getInt(8)),
                deliveries == null ? null : JSON.readValue(deliveries, DeliverySelection.class),
                new Origin(
                        row.getString(9),
                        row.getString(10),
                        row.getObject(11, OffsetDateTime.class).toInstant()),
                Replay.Status.valueOf(row.getString(12)),
                new Progress(
                        row.getObject(24, Long.class),
                        row.getLong(13),
                        new Count(row.getLong(14), row.getBoolean(22)),
                        new Count(row.getLong(15), row.getBoolean(23)),
                        row.getLong(21),
                        row.getBoolean(16),
                        Duration.ofMillis((long) (row.getDouble(25) * 1000)),
                        DeliveryRow.instant(row, 17)));
    }
}
