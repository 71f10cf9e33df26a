package dev.outbox.sample.operations;

import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Failed attempts of the events that finished lately, published or dead, and of those that are retried, in any process. */
@Component
final class RecentRetries {

    /**
     * Reads the index {@code outbox_published_at} backwards, and at most 10,000 rows. At a million events an hour, these are the last 36 s
     * of the window, and the query takes some milliseconds. Reads the events of at most 10,000 deliveries.
     */
    private static final String EVENTS = """
              FROM ((SELECT stream, retry_count AS retries
                       FROM events.outbox_published
                      WHERE published_at > clock_timestamp() - :windowMillis * interval '1 millisecond'
                      ORDER BY published_at DESC
                      LIMIT 10000)
                    UNION ALL
                    (SELECT stream, retry_count
                       FROM events.outbox_unpublished
                      WHERE id IN (SELECT outbox_id FROM events.outbox_delivery LIMIT 10000)
                        AND (status <> 'DEAD'
                             OR last_attempt_at > clock_timestamp() - :windowMillis * interval '1 millisecond'))) event
            """;

    private static final String HISTOGRAM = "SELECT retries, count(*) AS events " + EVENTS + " GROUP BY retries";

    private static final String MEAN =
            "SELECT coalesce(max(mean), 0) FROM (SELECT avg(retries) AS mean " + EVENTS + " GROUP BY stream) streams";

    private final JdbcClient jdbc;

    RecentRetries(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Returns the number of events by the number of their failed attempts. */
    SortedMap<Integer, Long> histogram(Duration window) {
        return jdbc.sql(HISTOGRAM).param("windowMillis", window.toMillis()).query((rows) -> {
            SortedMap<Integer, Long> events = new TreeMap<>();
            while (rows.next()) {
                events.put(rows.getInt("retries"), rows.getLong("events"));
            }
            return events;
        });
    }

    /** Returns the mean number of failed attempts in the stream where it is highest; NaN, like a gauge, while the database cannot be asked. */
    double mean(Duration window) {
        try {
            return jdbc.sql(MEAN)
                    .param("windowMillis", window.toMillis())
                    .query(Double.class)
                    .single();
        } catch (DataAccessException ex) {
            return Double.NaN;
        }
    }
}
