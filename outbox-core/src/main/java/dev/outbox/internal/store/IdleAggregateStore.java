package dev.outbox.internal.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Removes the counters of aggregates that have not been used for long. No sequence is ever given twice: a counter goes only when it is
 * not above the floor at which new counters begin, and when every transaction that may have read a lower floor has ended.
 */
public final class IdleAggregateStore {

    /**
     * Relies on outbox_aggregate_pk, outbox_unpublished_aggregate, and the lane indexes of outbox_delivery. Looks at one page of
     * counters, and skips those that publishers hold. One instance at a time, as for the archive.
     */
    static final String REMOVE = """
            WITH looked AS MATERIALIZED (
                SELECT a.ctid AS place, a.aggregate_type, a.aggregate_id,
                       a.last_used_at < now() - :age_millis * interval '1 millisecond' AS unused
                  FROM {schema}.outbox_aggregate a
                 WHERE (a.aggregate_type, a.aggregate_id) > (:after_type, :after_id)
                   AND (SELECT {alone})
                 ORDER BY a.aggregate_type, a.aggregate_id
                 LIMIT :limit
            ), idle AS MATERIALIZED (
                SELECT a.ctid AS place, a.last_seq
                  FROM {schema}.outbox_aggregate a
                 WHERE a.ctid = ANY (ARRAY(SELECT looked.place FROM looked WHERE looked.unused))
                   AND a.last_used_at < now() - :age_millis * interval '1 millisecond'
                   AND (SELECT o.id
                          FROM {schema}.outbox_unpublished o
                         WHERE o.aggregate_type = a.aggregate_type
                           AND o.aggregate_id = a.aggregate_id
                         LIMIT 1) IS NULL
                   AND (SELECT d.outbox_id
                          FROM {schema}.outbox_delivery d
                         WHERE d.aggregate_type = a.aggregate_type
                           AND d.aggregate_id = a.aggregate_id
                           AND d.head
                         LIMIT 1) IS NULL
                   AND (SELECT d.outbox_id
                          FROM {schema}.outbox_delivery d
                         WHERE d.aggregate_type = a.aggregate_type
                           AND d.aggregate_id = a.aggregate_id
                           AND d.status = 'DEAD'
                         LIMIT 1) IS NULL
                   FOR UPDATE OF a SKIP LOCKED
            ), removed AS (
                DELETE FROM {schema}.outbox_aggregate a
                 WHERE a.ctid = ANY (ARRAY(SELECT idle.place
                                             FROM idle
                                            WHERE idle.last_seq <= (SELECT r.floor
                                                                      FROM {schema}.outbox_aggregate_removal r
                                                                     WHERE r.raised_in < pg_snapshot_xmin(pg_current_snapshot()))))
                RETURNING a.last_seq
            )
            SELECT (SELECT count(*) FROM looked),
                   (SELECT count(*) FROM removed),
                   coalesce((SELECT max(idle.last_seq) FROM idle), 0),
                   last.aggregate_type,
                   last.aggregate_id
              FROM (SELECT looked.aggregate_type, looked.aggregate_id
                      FROM looked
                     ORDER BY looked.aggregate_type DESC, looked.aggregate_id DESC
                     LIMIT 1) last
            """;

    /** Counts at once for every statement that reads the floor from now on. */
    private static final String RAISE = """
            SELECT setval('{schema}.outbox_aggregate_floor', greatest({schema}.outbox_aggregate_floor(), :floor))
            """;

    /** In a transaction that begins after the raise: every transaction that has read a lower floor has a lower id. */
    private static final String NOTE_RAISE = """
            UPDATE {schema}.outbox_aggregate_removal r
               SET floor = :floor,
                   raised_in = pg_current_xact_id()
             WHERE r.floor < :floor
               AND (SELECT {alone})
            """;

    private static final String FLOOR = """
            SELECT max(r.floor)
              FROM {schema}.outbox_aggregate_removal r
            """;

    private final DataSource dataSource;
    private final Pipeline remove;
    private final Pipeline floor;
    private final Pipeline raise;
    private final Pipeline noteRaise;

    /** Creates a store. */
    public IdleAggregateStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.remove = new Pipeline(schema, REMOVE);
        this.floor = new Pipeline(schema, FLOOR);
        this.raise = new Pipeline(schema, RAISE);
        this.noteRaise = new Pipeline(schema, NOTE_RAISE);
    }

    /** Page of counters that was looked at. */
    public record Page(int looked, int removed, long lastSequence, String aggregateType, String aggregateId) {

        /** Before all counters. */
        public static final Page BEGINNING = new Page(0, 0, 0, "", "");
    }

    /** Removes the idle counters of one page that no new counter can repeat. */
    public Page remove(Page before, Duration unusedFor, int pageSize) throws SQLException {
        return remove.run(
                dataSource,
                (parameters) -> parameters
                        .set("age_millis", unusedFor.toMillis())
                        .set("after_type", before.aggregateType())
                        .set("after_id", before.aggregateId())
                        .set("limit", pageSize),
                (results) -> {
                    ResultSet row = results.rows();
                    return row.next()
                            ? new Page(row.getInt(1), row.getInt(2), row.getLong(3), row.getString(4), row.getString(5))
                            : Page.BEGINNING;
                });
    }

    /**
     * Raises the sequence at which new counters begin. Counters up to there can be removed when the transactions that are running
     * now have ended.
     */
    public void raiseFloor(long lastSequence) throws SQLException {
        if (lastSequence <= floor()) {
            return;
        }
        raise.run(dataSource, (parameters) -> parameters.set("floor", lastSequence), Pipeline.Results::rows);
        noteRaise.run(dataSource, (parameters) -> parameters.set("floor", lastSequence), Pipeline.Results::updated);
    }

    private long floor() throws SQLException {
        return floor.run(dataSource, (parameters) -> {}, (results) -> {
            ResultSet row = results.rows();
            row.next();
            return row.getLong(1);
        });
    }
}
