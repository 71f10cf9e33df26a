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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

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
            loop = BackgroundLoop.of(name, this::round, outage);
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
    @ValueSource(strings = {"08006", "53300", "57P01", "57P03"})
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
        SQLException driver = new SQLException("Connection to localhost:5432 refused", "08001", new Exception("I/O"));
        SQLException pool = new SQLTransientConnectionException(
                "pool - Connection is not available, request timed out after 30001ms", "08001", driver);
        return new CannotGetJdbcConnectionException("Failed to obtain JDBC Connection", pool);
    }
}
