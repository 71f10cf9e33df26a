package dev.outbox.operations.internal.operate;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.lane.DeliveryRef;
import dev.outbox.internal.lane.LaneSql;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.listener.OutboxListener;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations.Changed;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Retries and skips deliveries, and records who asked for it and why in the same durable transaction. */
final class OperationStore {

    /** What an operator does to a delivery. */
    enum Action {
        /** Forgets its failures and attempts it again, in its place in its lane. */
        RETRY,
        /** Removes it. */
        SKIP
    }

    /**
     * Relies on outbox_lane_pk. Whether an action would change a delivery {@code d}: a retry has failures to forget, or crashes under it as
     * the first of its lane.
     */
    static final String CHANGES = """
            (:action = 'SKIP' OR d.status <> 'OPEN' OR d.retry_count > 0 OR d.next_retry_at > clock_timestamp()
                        OR (SELECT l.crash_count > 0
                              FROM {schema}.outbox_lane l
                             WHERE (l.aggregate_type, l.aggregate_id, l.handler_id) = (d.aggregate_type, d.aggregate_id, d.handler_id)
                               AND l.first_seq = d.aggregate_seq
                             LIMIT 1) IS TRUE)""";

    /** A bulk leaves out what was added, failed or was retried after it was asked for. */
    static final String UNTOUCHED = """
            (:started_at::timestamptz IS NULL
                        OR greatest(d.created_at, d.open_since, (d.failures -> -1 ->> 'at')::timestamptz) < :started_at::timestamptz)""";

    /**
     * Relies on outbox_replay_unfinished. Retention, which is no bulk and passes a time, leaves out what blocks a lane, what a dead-letter
     * method has failed on, and everything while a bulk retries.
     */
    private static final String SPARED = """
            (:started_at::timestamptz IS NULL OR :replay_id::bigint IS NOT NULL
                        OR d.status = 'DEAD'
                       AND d.report_at IN ('epoch', 'infinity')
                       AND (SELECT r.id FROM {schema}.outbox_replay r WHERE r.finished_at IS NULL AND r.kind = 'RETRY' LIMIT 1) IS NULL)""";

    /** Relies on outbox_replay_pk. Taken before other locks. */
    private static final String LOCK_BULK = """
            SELECT r.id
              FROM {schema}.outbox_replay r
             WHERE r.id = :replay_id::bigint
               FOR UPDATE
            """;

    /**
     * Relies on outbox_delivery_pk, outbox_lane_pk and the primary keys of both partitions: the event may be in history. A delivery may have
     * been reopened since it was found. It is busy if its lane, which is locked, has a claim: a worker may be attempting it. A page of a bulk
     * is fenced by the last event before it, and notes how far the bulk is.
     */
    private static final String CHOOSE =
            """
            WITH bulk AS MATERIALIZED (
                SELECT r.id, r.command_id
                  FROM {schema}.outbox_replay r
                 WHERE r.id = :replay_id::bigint
                   AND r.after_id = :after_id::bigint
                   AND r.finished_at IS NULL
            ), selected AS MATERIALIZED (
                SELECT d.*,
                       d.status = 'OPEN'
                       AND (SELECT l.claim_id
                              FROM {schema}.outbox_lane l
                             WHERE (l.aggregate_type, l.aggregate_id, l.handler_id) = (d.aggregate_type, d.aggregate_id, d.handler_id)
                             LIMIT 1) IS NOT NULL AS busy
                  FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
                 CROSS JOIN LATERAL (SELECT d.outbox_id, d.handler_id, d.aggregate_type, d.aggregate_id, d.aggregate_seq, d.status,
                                            d.retry_count, d.next_retry_at, d.last_error_code, d.last_error, d.failures,
                                            d.created_at, d.open_since, d.report_at
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.outbox_id = k.outbox_id
                                        AND d.handler_id = k.handler_id
                                      LIMIT 1) d
                 WHERE {changes}
                   AND {untouched}
                   AND {spared}
                   AND (:open AND d.status = 'OPEN' OR :dead AND d.status <> 'OPEN')
                   AND (:replay_id::bigint IS NULL OR EXISTS (SELECT FROM bulk))
            ), chosen AS (
                SELECT * FROM selected WHERE NOT selected.busy
            ), recorded AS (
                INSERT INTO {schema}.outbox_operation
                       (performed_by, action, reason, command_id, stream, handler_id, event_id, previous_status, last_error_code, last_error)
                SELECT :actor, :action, :reason, coalesce((SELECT bulk.command_id FROM bulk), :command::bigint),
                       o.stream, c.handler_id, o.event_id, c.status, c.last_error_code, c.last_error
                  FROM chosen c
                 CROSS JOIN LATERAL (SELECT * FROM {schema}.outbox o WHERE o.id = c.outbox_id LIMIT 1) o
                 ORDER BY c.outbox_id, c.handler_id
                RETURNING id, stream, handler_id, event_id
            ), changed AS (
                {change}
                 WHERE d.outbox_id = chosen.outbox_id
                   AND d.handler_id = chosen.handler_id
            ), advanced AS (
                UPDATE {schema}.outbox_replay r
                   SET after_id = :read_id::bigint,
                       fed_count = r.fed_count + :affected::bigint + page.affected,
                       busy_count = r.busy_count + :busy::bigint + page.busy,
                       fed_at = now() + (:affected::bigint + page.affected)::float8 / r.rate * interval '1 second',
                       finished_at = CASE WHEN r.up_to_id <= :read_id::bigint THEN clock_timestamp() END
                  FROM bulk
                 CROSS JOIN (SELECT count(*) FILTER (WHERE NOT selected.busy) AS affected,
                                    count(*) FILTER (WHERE selected.busy) AS busy
                               FROM selected) page
                 WHERE r.id = bulk.id
                   AND :read_id::bigint IS NOT NULL
            )
            """.replace("{changes}", CHANGES).replace("{untouched}", UNTOUCHED).replace("{spared}", SPARED);

    /**
     * Relies on outbox_unpublished_pk, outbox_delivery_pk and outbox_lane_pk. The attempt count of the delivery is kept. A delivery that is
     * not the first of its lane has no crashes to forget.
     */
    static final String RETRY = CHOOSE.replace("{change}", """
                UPDATE {schema}.outbox_delivery d
                   SET status = 'OPEN',
                       next_retry_at = clock_timestamp(),
                       open_since = clock_timestamp(),
                       retry_id = :replay_id::bigint,
                       report_at = 'epoch',
                       retry_count = 0
                  FROM chosen""") + """
            , event AS (
                UPDATE {schema}.outbox_unpublished o
                   SET status = 'RETRYING',
                       attempt_count = 0,
                       retry_count = 0
                 WHERE o.id = ANY (ARRAY(SELECT chosen.outbox_id FROM chosen))
            ), lane AS (
                UPDATE {schema}.outbox_lane l
                   SET crash_count = 0
                  FROM (SELECT l.place
                          FROM chosen
                         CROSS JOIN LATERAL (SELECT l.ctid AS place
                                               FROM {schema}.outbox_lane l
                                              WHERE (l.aggregate_type, l.aggregate_id, l.handler_id)
                                                    = (chosen.aggregate_type, chosen.aggregate_id, chosen.handler_id)
                                                AND l.first_seq = chosen.aggregate_seq
                                              LIMIT 1) l) first
                 WHERE l.ctid = first.place
            )
            SELECT count(*) FILTER (WHERE NOT selected.busy), count(*) FILTER (WHERE selected.busy)
              FROM selected
            """;

    /** Relies on outbox_delivery_pk and outbox_unpublished_pk. The event keeps the handlers and their failures, unless it is published. */
    static final String SKIP = CHOOSE.replace("{change}", """
                DELETE FROM {schema}.outbox_delivery d
                 USING chosen""") + """
            , event AS (
                UPDATE {schema}.outbox_unpublished o
                   SET failures = coalesce(coalesce(o.failures, '{}') || ended.histories, o.failures),
                       skipped_handlers = ARRAY(SELECT DISTINCT h.id
                                                  FROM unnest(o.skipped_handlers || ended.handlers) AS h (id)
                                                 ORDER BY h.id)
                  FROM (SELECT chosen.outbox_id, array_agg(chosen.handler_id) AS handlers,
                               jsonb_object_agg(chosen.handler_id, chosen.failures) FILTER (WHERE chosen.failures <> '[]') AS histories
                          FROM chosen
                         GROUP BY chosen.outbox_id) ended
                 CROSS JOIN LATERAL (SELECT e.ctid AS place
                                       FROM {schema}.outbox_unpublished e
                                      WHERE e.id = ended.outbox_id
                                      LIMIT 1) e
                 WHERE o.ctid = e.place
            )
            SELECT count(*) FILTER (WHERE NOT selected.busy), count(*) FILTER (WHERE selected.busy),
                   ARRAY(SELECT recorded.stream FROM recorded ORDER BY recorded.id),
                   ARRAY(SELECT recorded.handler_id FROM recorded ORDER BY recorded.id),
                   ARRAY(SELECT recorded.event_id FROM recorded ORDER BY recorded.id)
              FROM selected
            """;

    private static final Logger log = LoggerFactory.getLogger(OperationStore.class);

    private static final String LOCK_TIMEOUT = "SELECT set_config('lock_timeout', :lock_timeout, true)";

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Duration SHORT_WAIT = Duration.ofMillis(100);

    /** The lock timeout, or a deadlock. */
    private static final Set<String> LOCKED = Set.of("55P03", "40P01");

    /** Page of a bulk, after one event and up to another; without that one, it stays where it is. */
    record Page(long bulk, long afterId, @Nullable Long readId) {}

    /** What an operator asks for: on deliveries that have one of the statuses, also at the moment of the change, and are untouched since a time. */
    record Request(
            Action action,
            Set<DeliveryStatus> statuses,
            @Nullable Instant untouchedSince,
            AuditInfo audit) {}

    private static final Changed NOTHING = new Changed(0, 0);

    private record Skipped(String stream, String handlerId, UUID eventId) {}

    private record Outcome(Changed changed, List<Skipped> skipped) {}

    private final DataSource dataSource;
    private final Pipeline retry;
    private final Pipeline skip;
    private final LeaseStore leases;
    private final OutboxListener listener;

    OperationStore(DataSource dataSource, OutboxSchema schema, OutboxListener listener) {
        this.dataSource = dataSource;
        this.retry = pipeline(schema, RETRY);
        this.skip = pipeline(schema, SKIP);
        this.leases = new LeaseStore(dataSource, schema);
        this.listener = listener;
    }

    private static Pipeline pipeline(OutboxSchema schema, String change) {
        return Pipeline.durable(schema, LONGEST_WAIT, LaneSql.changing(List.of(LOCK_TIMEOUT, LOCK_BULK), change));
    }

    /** Changes deliveries, and leaves alone what a worker attempts or another transaction holds locked. */
    Changed change(Request request, List<DeliveryRef> batch, @Nullable Page page) throws SQLException {
        leases.endExpired(DeliveryRef.streams(batch));
        Optional<Changed> whole = attempt(request, batch, page, NOTHING, LONGEST_WAIT);
        if (whole.isPresent()) {
            return whole.get();
        }
        Page still = page == null ? null : new Page(page.bulk(), page.afterId(), null);
        int affected = 0;
        int busy = 0;
        for (DeliveryRef delivery : batch) {
            Changed one = attempt(request, List.of(delivery), still, NOTHING, SHORT_WAIT)
                    .orElse(new Changed(0, 1));
            affected += one.affected();
            busy += one.busy();
        }
        Changed changed = new Changed(affected, busy);
        if (page != null) {
            attempt(request, List.of(), page, changed, LONGEST_WAIT);
        }
        return changed;
    }

    /** Returns empty if a lock was not free in time, or PostgreSQL refused a delivery of a bulk, and then nothing has changed. */
    private Optional<Changed> attempt(
            Request request, List<DeliveryRef> batch, @Nullable Page page, Changed before, Duration wait)
            throws SQLException {
        boolean retries = request.action() == Action.RETRY;
        try {
            Outcome outcome = (retries ? retry : skip)
                    .run(
                            dataSource,
                            (parameters) -> DeliveryRef.bind(parameters, batch)
                                    .set("lock_timeout", wait.toMillis() + "ms")
                                    .set("replay_id", page == null ? null : page.bulk())
                                    .set("after_id", page == null ? null : page.afterId())
                                    .set("read_id", page == null ? null : page.readId())
                                    .set("started_at", request.untouchedSince())
                                    .set("open", request.statuses().contains(DeliveryStatus.OPEN))
                                    .set("dead", request.statuses().contains(DeliveryStatus.DEAD))
                                    .set("affected", before.affected())
                                    .set("busy", before.busy())
                                    .set("action", request.action().name())
                                    .set("actor", request.audit().actor())
                                    .set("reason", request.audit().reason())
                                    .set("command", request.audit().command()),
                            (results) -> retries ? retried(results.row(RETRY)) : skipped(results.row(SKIP)));
            outcome.skipped().forEach((one) -> listener.skipped(one.stream(), one.handlerId(), one.eventId()));
            return Optional.of(outcome.changed());
        } catch (SQLException ex) {
            // A bulk, or retention, continues without an event that PostgreSQL refuses to move to history.
            boolean refused = request.untouchedSince() != null && !batch.isEmpty() && Causes.isRefusal(ex);
            if (refused && wait.equals(SHORT_WAIT)) {
                log.warn(
                        "PostgreSQL refused to {} {}; it stays",
                        request.action(),
                        batch.get(0),
                        Redaction.loggable(ex));
            }
            if (refused || LOCKED.contains(String.valueOf(ex.getSQLState()))) {
                return Optional.empty();
            }
            throw ex;
        }
    }

    private static Outcome retried(ResultSet row) throws SQLException {
        return new Outcome(new Changed(row.getInt(1), row.getInt(2)), List.of());
    }

    private static Outcome skipped(ResultSet row) throws SQLException {
        String[] streams = (String[]) row.getArray(3).getArray();
        String[] handlers = (String[]) row.getArray(4).getArray();
        UUID[] events = (UUID[]) row.getArray(5).getArray();
        return new Outcome(
                new Changed(row.getInt(1), row.getInt(2)),
                IntStream.range(0, events.length)
                        .mapToObj((i) -> new Skipped(streams[i], handlers[i], events[i]))
                        .toList());
    }
}
