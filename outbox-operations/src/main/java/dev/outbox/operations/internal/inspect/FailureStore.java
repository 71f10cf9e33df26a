package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.sql.Counted;
import dev.outbox.internal.sql.LooseScan;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Count;
import dev.outbox.operations.Delivery.FailedAttempt;
import dev.outbox.operations.FailureGroup;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** Groups failed deliveries by handler and error code. */
final class FailureStore {

    private static final int MOST_GROUPS = 200;

    /**
     * Relies on outbox_delivery_failures, with one look-up for each handler and error code, and on outbox_delivery_backlog for the
     * deliveries that wait. Reads the oldest delivery of a group through outbox_delivery_pk, and its event through the primary keys of both
     * partitions. Never reads more than the first rows of a group; constant limits show the planner that they are few. The status is no constant: the indexes of one status would be read whole.
     */
    static final String GROUPS = "WITH RECURSIVE "
            + LooseScan.of(
                    "failing", "outbox_delivery", "d.handler_id, d.last_error_code", "d.last_error_code IS NOT NULL")
            + ", "
            + LooseScan.ofDeliveries("stream", "d.stream")
            + """
            , first_failing AS MATERIALIZED (
                SELECT f.handler_id, f.last_error_code FROM failing f LIMIT {groups}
            ), {bound}, blocked AS MATERIALIZED (
                SELECT handler.id, open.waiting, open.deliveries
                  FROM bound
                 CROSS JOIN (SELECT DISTINCT f.handler_id AS id FROM first_failing f) handler
                 CROSS JOIN LATERAL (SELECT count(*) AS deliveries, count(*) FILTER (WHERE d.last_error_code IS NULL) AS waiting
                                       FROM (SELECT d.last_error_code
                                               FROM stream s
                                              CROSS JOIN unnest('{OPEN}'::text[]) AS kind (status)
                                              CROSS JOIN LATERAL (SELECT d.last_error_code
                                                                    FROM {schema}.outbox_delivery d
                                                                   WHERE d.stream = s.stream
                                                                     AND d.status = kind.status
                                                                     AND d.handler_id = handler.id
                                                                   LIMIT {most}) d
                                              LIMIT bound.most) d) open
            ), counted AS MATERIALIZED (
                SELECT f.handler_id, f.last_error_code, g.dead, g.retrying, g.oldest
                  FROM bound
                 CROSS JOIN first_failing f
                 CROSS JOIN LATERAL (SELECT least(sum(number.deliveries) FILTER (WHERE kind.status <> 'OPEN'), bound.most) AS dead,
                                            sum(number.deliveries) FILTER (WHERE kind.status = 'OPEN') AS retrying,
                                            min(first.outbox_id) AS oldest
                                       FROM unnest('{BLOCKING,DEAD,OPEN}'::text[]) AS kind (status)
                                      CROSS JOIN LATERAL (SELECT count(*) AS deliveries
                                                            FROM (SELECT d.status
                                                                    FROM (SELECT d.status
                                                                            FROM {schema}.outbox_delivery d
                                                                           WHERE d.handler_id = f.handler_id
                                                                             AND d.last_error_code = f.last_error_code
                                                                             AND d.status = kind.status
                                                                           LIMIT {most}) d
                                                                   LIMIT bound.most) d) number
                                       LEFT JOIN LATERAL (SELECT d.outbox_id
                                                            FROM {schema}.outbox_delivery d
                                                           WHERE d.handler_id = f.handler_id
                                                             AND d.last_error_code = f.last_error_code
                                                             AND d.status = kind.status
                                                           ORDER BY d.outbox_id
                                                           LIMIT 1) first ON true) g
                 ORDER BY g.dead DESC, g.retrying DESC, f.handler_id, f.last_error_code
                 LIMIT 100
            )
            SELECT c.handler_id, c.last_error_code, c.dead, c.retrying, b.waiting,
                   b.deliveries < bound.most,
                   o.event_id, d.event_type, d.aggregate_type, d.aggregate_id,
                   d.attempt_count, coalesce(d.last_attempt_at, d.created_at), d.last_error, d.failures::text,
                   bound.most
              FROM bound
             CROSS JOIN counted c
              JOIN blocked b ON b.id = c.handler_id
             CROSS JOIN LATERAL (SELECT d.event_type, d.aggregate_type, d.aggregate_id, d.attempt_count, d.last_attempt_at,
                                        d.created_at, d.last_error, d.failures
                                   FROM {schema}.outbox_delivery d
                                  WHERE d.outbox_id = c.oldest
                                    AND d.handler_id = c.handler_id
                                  LIMIT 1) d
             CROSS JOIN LATERAL (SELECT o.event_id
                                   FROM {schema}.outbox o
                                  WHERE o.id = c.oldest
                                  LIMIT 1) o
             ORDER BY c.dead DESC, c.retrying DESC, c.handler_id, c.last_error_code
            """.replace("{groups}", Integer.toString(MOST_GROUPS))
                    .replace("{bound}", Counted.bound("first_failing"))
                    .replace("{most}", Integer.toString(Count.MOST));

    private final DataSource dataSource;
    private final Pipeline groups;

    public FailureStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.groups = new Pipeline(schema, Pipeline.INSPECT, GROUPS);
    }

    /** Reads the groups, those with the most dead letters first. */
    public List<FailureGroup> groups() throws SQLException {
        return groups.run(dataSource, (parameters) -> {}, (results) -> results.list(FailureStore::group));
    }

    private static FailureGroup group(ResultSet row) throws SQLException {
        String code = row.getString(2);
        return new FailureGroup(
                row.getString(1),
                code,
                Count.upTo(row.getLong(3), row.getInt(15)),
                Count.upTo(row.getLong(4), row.getInt(15)),
                new Count(row.getLong(5), row.getBoolean(6)),
                new FailureGroup.First(
                        row.getObject(7, UUID.class),
                        row.getString(8),
                        row.getString(9),
                        row.getString(10),
                        firstFailure(row, code)));
    }

    /** Another program may have written the delivery without its failures: the last one is then the only one known. */
    private static FailedAttempt firstFailure(ResultSet row, String code) throws SQLException {
        Optional<FailedAttempt> first = FailedAttemptsJson.read(row.getString(14)).stream()
                .filter((attempt) -> attempt.code().equals(code))
                .findFirst();
        if (first.isPresent()) {
            return first.get();
        }
        String message = row.getString(13);
        return new FailedAttempt(
                row.getInt(11),
                row.getObject(12, OffsetDateTime.class).toInstant(),
                code,
                message == null
                        ? ""
                        : message.substring(0, Math.min(message.length(), FailedAttemptsJson.LONGEST_MESSAGE)),
                null,
                null,
                null);
    }
}
