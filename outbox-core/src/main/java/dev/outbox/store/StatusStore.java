package dev.outbox.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;

/** Counts the events of each stream by the state that they are in. */
public final class StatusStore {

    /**
     * Reads outbox_unpublished once: the cost is that of the work that is left, not of history. What is dead of history is
     * replayed: by outbox_delivery_replay. Counts streams that no poller has ever registered too, since nobody else would notice
     * what waits there.
     */
    private static final String COUNT = """
            SELECT stream,
                   coalesce(q.undispatched, 0) - coalesce(c.processing, 0),
                   coalesce(c.processing, 0),
                   coalesce(q.retrying, 0),
                   coalesce(q.dead, 0) + coalesce(r.dead, 0),
                   coalesce(ceil(extract(epoch FROM clock_timestamp() - q.oldest) * 1000), 0)::bigint
              FROM {schema}.outbox_stream s
              FULL JOIN (SELECT o.stream,
                                count(*) FILTER (WHERE o.status = 'PENDING') AS undispatched,
                                count(*) FILTER (WHERE o.status = 'RETRYING') AS retrying,
                                count(*) FILTER (WHERE o.status = 'DEAD') AS dead,
                                min(o.occurred_at) FILTER (WHERE o.status = 'PENDING') AS oldest
                           FROM {schema}.outbox_unpublished o
                          GROUP BY o.stream) q USING (stream)
              LEFT JOIN (SELECT c.stream, count(o.id) AS processing
                           FROM {schema}.outbox_claim c
                          CROSS JOIN LATERAL unnest(c.event_ids) AS claimed (id)
                           JOIN {schema}.outbox_unpublished o ON o.id = claimed.id AND o.dispatched_at IS NULL
                          WHERE c.locked_until >= clock_timestamp()
                          GROUP BY c.stream) c USING (stream)
              LEFT JOIN (SELECT d.stream, count(DISTINCT d.outbox_id) AS dead
                           FROM {schema}.outbox_delivery d
                          WHERE d.replay_id IS NOT NULL
                            AND d.status = 'DEAD'
                            AND NOT EXISTS (SELECT FROM {schema}.outbox_unpublished o WHERE o.id = d.outbox_id)
                          GROUP BY d.stream) r USING (stream)
            """;

    private final DataSource dataSource;
    private final Pipeline count;

    /**
     * Creates a store.
     *
     * @param dataSource where the tables are
     * @param schema the schema that holds them
     */
    public StatusStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.count = new Pipeline(schema, COUNT);
    }

    /**
     * How many events of a stream are in which state.
     *
     * @param pending waiting for their first pass
     * @param processing in a live claim
     * @param retrying dispatched, with deliveries still open
     * @param dead given up on, for at least one handler
     * @param oldestPending the age of the oldest event that no pass has ended for; zero if there is none
     */
    public record Counts(long pending, long processing, long retrying, long dead, Duration oldestPending) {

        /** No events. */
        public static final Counts NONE = new Counts(0, 0, 0, 0, Duration.ZERO);
    }

    /**
     * Counts the events of every stream, in one query.
     *
     * @return the counts by stream
     * @throws SQLException if the database refused or could not be reached
     */
    public Map<String, Counts> count() throws SQLException {
        return count.run(dataSource, (parameters) -> {}, (results) -> {
            Map<String, Counts> counts = new HashMap<>();
            ResultSet row = results.rows();
            while (row.next()) {
                counts.put(
                        row.getString(1),
                        new Counts(
                                row.getLong(2),
                                row.getLong(3),
                                row.getLong(4),
                                row.getLong(5),
                                Duration.ofMillis(row.getLong(6))));
            }
            return counts;
        });
    }
}
