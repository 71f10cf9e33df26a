package dev.outbox.internal.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.outbox.fixture.LoggedLines;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/** Several threads find out that the database is away. */
class DatabaseOutageTest {

    private static final Duration OFTEN = Duration.ofMillis(5);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    private final DatabaseOutage outage = new DatabaseOutage(nanos::get);
    private final List<Loop> loops = new ArrayList<>();

    @RegisterExtension
    private final LoggedLines log =
            LoggedLines.of(BackgroundLoop.class.getPackageName()).from(Level.INFO);

    private final class Loop {

        private final AtomicInteger rounds = new AtomicInteger();
        private final BackgroundLoop loop;
        private volatile Exception failure;

        Loop(String name) {
            loop = new BackgroundLoop(name, outage);
            loop.add(name, this::round);
            loops.add(this);
            loop.start();
        }

        private Duration round() throws Exception {
            rounds.incrementAndGet();
            if (failure != null) {
                throw failure;
            }
            return OFTEN;
        }

        void ends(Exception failing) {
            failure = failing;
            int begun = rounds.get();
            await().until(() -> rounds.get() >= begun + 3);
        }
    }

    @AfterEach
    void close() {
        loops.forEach((loop) -> loop.loop.close(Duration.ofSeconds(10)));
    }

    @Test
    void threadsShareOneWarningAndOneEnd() {
        Loop poller = new Loop("poller");
        Loop schedule = new Loop("schedule");
        poller.ends(away());
        schedule.ends(away());
        assertThat(log.messages())
                .containsExactly("Outbox has no connection to the database: events wait, and delivery continues when"
                        + " it has one again: Connection to localhost:5432 refused");

        nanos.addAndGet(Duration.ofSeconds(63).toNanos());
        schedule.ends(null);
        poller.ends(null);

        assertThat(log.messages(Level.INFO))
                .containsExactly("Outbox has a connection to the database again, after 63 s: delivery continues");
        assertThat(log.events()).hasSize(2).allMatch((line) -> line.getThrowableProxy() == null);
    }

    @Test
    void roundThatFailsAfterTheEndBelongsToTheOutage() {
        int before = outage.ended();
        outage.stops("poller", before, away());
        outage.stops("schedule", before, away());
        outage.continues("poller");
        outage.stops("schedule", before, away());
        assertThat(log.messages()).hasSize(2);

        outage.stops("schedule", outage.ended(), away());
        assertThat(log.messages(Level.WARN)).hasSize(2);
    }

    @Test
    void failureWithConnectionKeepsItsOwnLines() {
        Loop poller = new Loop("poller");
        Loop schedule = new Loop("schedule");
        poller.ends(away());
        schedule.ends(new SQLException("permission denied", "42501"));
        schedule.ends(null);

        assertThat(log.messages())
                .satisfiesExactly(
                        (line) -> assertThat(line).startsWith("Outbox has no connection"),
                        (line) -> assertThat(line).isEqualTo("schedule failed; retrying with backoff"),
                        (line) -> assertThat(line).startsWith("schedule recovered after "));
    }

    @Test
    void answerThatIsAFailureEndsTheOutage() {
        Loop poller = new Loop("poller");
        poller.ends(away());
        poller.ends(new SQLException("relation does not exist", "42P01"));

        assertThat(log.messages())
                .satisfiesExactly(
                        (line) -> assertThat(line).startsWith("Outbox has no connection"),
                        (line) -> assertThat(line).startsWith("Outbox has a connection"),
                        (line) -> assertThat(line).isEqualTo("poller failed; retrying with backoff"));
    }

    @Test
    void logsEachReasonOnce() {
        outage.stops("poller", 0, away());
        outage.stops("poller", 0, pool("the database system is starting up", "57P03"));
        for (int times = 0; times < 2; times++) {
            outage.stops("poller", 0, pool("password authentication failed", "28P01"));
            outage.stops("poller", 0, pool("database does not exist", "3D000"));
            outage.stops("poller", 0, away());
        }

        assertThat(log.messages())
                .satisfiesExactly(
                        (line) -> assertThat(line).startsWith("Outbox has no connection"),
                        (line) -> assertThat(line)
                                .isEqualTo("Outbox still has no connection to the database, for another reason:"
                                        + " password authentication failed"),
                        (line) -> assertThat(line).endsWith("for another reason: database does not exist"));
    }

    @Test
    void databasesHaveOutagesOfTheirOwn() {
        DataSource shop = new SimpleDriverDataSource();
        DatabaseOutage another = DatabaseOutage.of(new SimpleDriverDataSource());
        assertThat(DatabaseOutage.of(shop)).isSameAs(DatabaseOutage.of(shop)).isNotSameAs(another);

        DatabaseOutage.of(shop).stops("poller of the shop", 0, away());
        another.stops("poller", 0, away());
        another.continues("poller");

        assertThat(log.messages(Level.WARN)).hasSize(2);
        assertThat(log.messages(Level.INFO)).hasSize(1);
    }

    @Test
    void stoppedThreadDoesNotKeepTheOutage() {
        Loop poller = new Loop("poller");
        poller.ends(away());
        poller.loop.close(Duration.ofSeconds(10));
        new Loop("another").ends(away());

        assertThat(log.messages())
                .hasSize(2)
                .allMatch((line) -> line.startsWith("Outbox has no connection to the database"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"08006", "28P01", "3D000", "53300", "57P01", "57P03"})
    void connectionThatTheServerRefusesOrEndsIsAnOutage(String state) {
        new Loop("poller").ends(new IllegalStateException(new SQLException("ended", state)));

        assertThat(log.messages()).singleElement().asString().endsWith("has one again: ended");
    }

    @Test
    void fullDiskIsNoOutage() {
        new Loop("poller").ends(new SQLException("could not extend file", "53100"));

        assertThat(log.messages()).containsExactly("poller failed; retrying with backoff");
    }

    /** As Spring, a pool and the driver report it. */
    private static Exception away() {
        return pool("Connection to localhost:5432 refused", "08001");
    }

    private static Exception pool(String reason, String state) {
        SQLException driver = new SQLException(reason, state, new Exception("I/O"));
        SQLException pool = new SQLTransientConnectionException(
                "pool - Connection is not available, request timed out after 30001ms", state, driver);
        return new CannotGetJdbcConnectionException("Failed to obtain JDBC Connection", pool);
    }
}
