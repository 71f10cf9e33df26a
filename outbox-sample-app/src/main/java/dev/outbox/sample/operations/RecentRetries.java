package dev.outbox.sample.operations;

import java.time.Duration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Retries of the events that were published lately, in any process. */
@Component
final class RecentRetries {

    /**
     * Reads the index {@code outbox_published_at} backwards, and at most 10,000 rows. At a million events an hour, these are the last 36 s
     * of the window, and the query takes some milliseconds.
     */
    private static final String MEAN = """
            SELECT coalesce(avg(recent.retry_count), 0)
              FROM (SELECT retry_count
                      FROM events.outbox_published
                     WHERE published_at > clock_timestamp() - :windowMillis * interval '1 millisecond'
                     ORDER BY published_at DESC
                     LIMIT 10000) recent
            """;

    private final JdbcClient jdbc;

    RecentRetries(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Returns the mean number of retries of an event; NaN, like a gauge, while the database cannot be asked. */
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
