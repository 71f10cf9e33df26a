package dev.outbox.sample.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleTest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** Each test sees its own history only, in a transaction that it rolls back. */
@SampleTest
class RecentRetriesTest {

    private static final Duration WINDOW = Duration.ofMinutes(5);

    @Autowired
    private RecentRetries retries;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private TransactionTemplate transaction;

    @Test
    void averagesWindowWhateverCameBefore() {
        inOwnHistory(() -> {
            publish(1, 4, "1 minute");
            publish(1, 0, "4 minutes");
            publish(20_000, 0, "6 minutes");

            assertThat(retries.mean(WINDOW)).isEqualTo(2);
        });
    }

    @Test
    void countsRetryingAndDeadEvents() {
        inOwnHistory(() -> {
            publish(3, 0, "1 minute");
            queue("RETRYING", "OPEN", 2, "10 minutes");
            queue("DEAD", "DEAD", 10, "1 minute");

            assertThat(retries.histogram(WINDOW)).isEqualTo(Map.of(0, 3L, 2, 1L, 10, 1L));
            assertThat(retries.mean(WINDOW)).isEqualTo(2.4);
        });
    }

    @Test
    void deadEventsCountLikeOthersThatFinished() {
        inOwnHistory(() -> {
            publish(1, 1, "1 minute");
            queue("DEAD", "DEAD", 10, "6 minutes");

            assertThat(retries.mean(WINDOW)).isEqualTo(1);
        });
    }

    /** As in the rules of Prometheus. */
    @Test
    void streamWithTheMostFailuresDecides() {
        inOwnHistory(() -> {
            publish("quiet", 9, 0, "1 minute");
            queue("RETRYING", "OPEN", 2, "1 minute");

            assertThat(retries.mean(WINDOW)).isEqualTo(2);
        });
    }

    @Test
    void averagesLatestOfManyEvents() {
        inOwnHistory(() -> {
            publish(10_000, 3, "1 minute");
            publish(10_000, 0, "2 minutes");

            assertThat(retries.mean(WINDOW)).isEqualTo(3);
        });
    }

    @Test
    void nothingPublishedMeansNoRetries() {
        inOwnHistory(() -> assertThat(retries.mean(WINDOW)).isZero());
    }

    @Test
    void meanIsUnknownWithoutDatabase() {
        JdbcClient nowhere = JdbcClient.create(new DriverManagerDataSource("jdbc:postgresql://localhost:1/nowhere"));

        assertThat(new RecentRetries(nowhere).mean(WINDOW)).isNaN();
    }

    private void inOwnHistory(Runnable test) {
        transaction.executeWithoutResult((status) -> {
            status.setRollbackOnly();
            jdbc.sql("DELETE FROM events.outbox_delivery").update();
            jdbc.sql("DELETE FROM events.outbox").update();
            test.run();
        });
    }

    private void queue(String status, String delivery, int failures, String lastAttempt) {
        jdbc.sql("""
                        WITH event AS (
                            INSERT INTO events.outbox_unpublished
                                   (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status, retry_count,
                                    dispatched_at, last_attempt_at)
                            VALUES ('history', 'history', :status, 1, 'HistoryMade', '{}', :status, :failures, now(),
                                    clock_timestamp() - :lastAttempt::interval)
                            RETURNING id
                        )
                        INSERT INTO events.outbox_delivery
                               (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status,
                                next_retry_at)
                        SELECT event.id, 'mail', 'history', 'history', :status, 1, 'HistoryMade', :delivery,
                               CASE :delivery WHEN 'OPEN' THEN now() END
                          FROM event
                        """)
                .param("status", status)
                .param("delivery", delivery)
                .param("failures", failures)
                .param("lastAttempt", lastAttempt)
                .update();
    }

    private void publish(int events, int failures, String age) {
        publish("history", events, failures, age);
    }

    private void publish(String stream, int events, int failures, String age) {
        jdbc.sql("""
                        INSERT INTO events.outbox_published
                               (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status, retry_count,
                                dispatched_at, published_at)
                        SELECT :stream, 'history', :age, n, 'HistoryMade', '{}', 'PUBLISHED', :failures, now(),
                               clock_timestamp() - :age::interval
                          FROM generate_series(1, :events) n
                        """)
                .param("stream", stream)
                .param("age", age)
                .param("failures", failures)
                .param("events", events)
                .update();
    }
}
