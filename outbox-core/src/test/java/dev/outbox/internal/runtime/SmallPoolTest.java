package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

class SmallPoolTest {

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of("com.zaxxer.hikari");

    @Test
    void poolOfOneDeliversRetriesAndDeduplicates() {
        Recorded plain = Recorded.all();
        Recorded failing =
                Recorded.failing((attempt) -> attempt.number() == 1 ? new IllegalStateException("on purpose") : null);
        Recorded once = Recorded.all();
        try (TestOutbox outbox = poolOfOne()) {
            outbox.retry(TestOutbox.AT_ONCE)
                    .handler("plain", "*", plain)
                    .handler("failing", "*", failing)
                    .handler(HandlerDefinition.of("once", Set.of("*"), once).deduplicating())
                    .start();

            List<EventEnvelope> events = IntStream.range(0, 200)
                    .mapToObj((i) -> outbox.publish("order-" + i, new OrderPlaced(i)))
                    .toList();

            awaitPublished(outbox, events.size());
            assertThat(List.of(plain, failing, once))
                    .allSatisfy((handler) -> assertThat(handler.handled()).hasSize(events.size()));
        }
        assertThat(log.messages()).isEmpty();
    }

    /** The lease is asked for again before the code of the handler, whose transaction has the only connection. */
    @Test
    void poolOfOneDeduplicatesThoughTheTransactionHasWaited() throws SQLException {
        Recorded once = Recorded.all();
        try (TestOutbox outbox = poolOfOne();
                Connection other = outbox.database().dataSource().getConnection()) {
            other.setAutoCommit(false);
            other.createStatement().execute("LOCK TABLE events.processed_event IN SHARE MODE");
            outbox.handler(HandlerDefinition.of("once", Set.of("*"), once).deduplicating())
                    .start();
            outbox.publish("1", new OrderPlaced(1));
            await().until(() -> hasWaited(outbox.database().dataSource(), Duration.ofMillis(300)));

            other.rollback();

            await().atMost(Duration.ofSeconds(5)).until(() -> once.handled().size() == 1);
        }
        assertThat(log.messages()).isEmpty();
    }

    private static boolean hasWaited(DataSource database, Duration time) {
        return JdbcClient.create(database)
                        .sql("""
                        SELECT count(*)
                          FROM pg_stat_activity
                         WHERE datname = current_database()
                           AND wait_event_type = 'Lock'
                           AND clock_timestamp() - query_start > ? * interval '1 millisecond'
                        """)
                        .param(time.toMillis())
                        .query(Long.class)
                        .single()
                > 0;
    }

    @Test
    void poolOfOneIsWokenByOtherProcesses() {
        Recorded handler = Recorded.all();
        try (TestOutbox outbox = poolOfOne();
                TestOutbox publisher =
                        outbox.another().withNotifications().withoutPolling().start()) {
            outbox.handler("plain", "*", handler)
                    .poller(Duration.ofMinutes(1), 50, Duration.ofMinutes(1))
                    .start();
            awaitListener(outbox.database().dataSource(), Duration.ZERO);

            publisher.publish("1", new OrderPlaced(1));

            await().until(() -> handler.handled().size() == 1);
        }
    }

    @Test
    @Tag("full")
    void listenerIsNoLeakOfThePool() {
        HikariConfig pool = new HikariConfig();
        pool.setLeakDetectionThreshold(2000);
        try (TestOutbox outbox = TestOutbox.create(pool).withNotifications()) {
            outbox.handler("plain", "*", Recorded.all()).start();

            awaitListener(outbox.database().dataSource(), Duration.ofSeconds(4));

            assertThat(log.messages()).noneMatch((line) -> line.contains("on thread outbox-listener"));
        }
    }

    private static TestOutbox poolOfOne() {
        HikariConfig pool = new HikariConfig();
        pool.setMaximumPoolSize(1);
        return TestOutbox.create(pool).withNotifications();
    }

    private static void awaitPublished(TestOutbox outbox, int events) {
        await().atMost(Duration.ofMinutes(1)).until(() -> outbox.published() == events && outbox.unpublished() == 0);
    }

    private static void awaitListener(DataSource database, Duration age) {
        await().atMost(age.plusSeconds(60))
                .until(() -> JdbcClient.create(database)
                                .sql("""
                        SELECT count(*)
                          FROM pg_stat_activity
                         WHERE datname = current_database()
                           AND application_name = 'outbox-listener'
                           AND clock_timestamp() - backend_start > ? * interval '1 millisecond'
                        """)
                                .param(age.toMillis())
                                .query(Long.class)
                                .single()
                        == 1);
    }
}
