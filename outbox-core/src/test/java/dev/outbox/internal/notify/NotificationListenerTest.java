package dev.outbox.internal.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.outbox.fixture.FreezingNetwork;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

@Tag("full")
class NotificationListenerTest {

    private static final Notifications.WakeUps NO_WAKE_UPS = new Notifications.WakeUps() {
        @Override
        public void wake(WakeUp wakeUp, int hops) {}

        @Override
        public void wakeLater(WakeUp wakeUp) {}
    };

    private final TestDatabase database = TestPostgres.shared().newDatabase();

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of("dev.outbox.internal");

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void warnsOnceAndRetriesUntilItCanListen() {
        AtomicBoolean full = new AtomicBoolean(true);
        AtomicInteger attempts = new AtomicInteger();
        AtomicInteger woken = new AtomicInteger();
        DelegatingDataSource unpooled = refusing(full, attempts);
        NotificationListener listener = new NotificationListener(
                channel(unpooled), false, channel(database.dataSource()), (stream) -> {}, woken::incrementAndGet);
        listener.start();
        try {
            await().until(() -> attempts.get() >= 3);
            assertThat(log.messages(Level.WARN)).containsExactly("outbox-listener failed; retrying with backoff");
            assertThat(log.events().get(0).getThrowableProxy().getMessage())
                    .contains("streams are polled at their interval", "too many clients");
            assertThat(woken).hasValue(0);

            full.set(false);

            await().until(listener::isListening);
            assertThat(woken).hasValue(1);
        } finally {
            listener.close();
        }
    }

    @Test
    void reportsAnOutageIfNoConnectionCanBeOpened() {
        AtomicBoolean away = new AtomicBoolean(true);
        AtomicInteger attempts = new AtomicInteger();
        try (NotificationListener listener = new NotificationListener(
                channel(refusing(away, attempts)),
                false,
                channel(refusing(away, new AtomicInteger())),
                (stream) -> {},
                () -> {})) {
            listener.start();
            await().until(() -> attempts.get() >= 3);
            away.set(false);
            await().until(listener::isListening);

            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .startsWith("Outbox has no connection to the database");
        }
    }

    @Test
    void waitsBeforeItReplacesAConnectionThatBreaksAtOnce() {
        AtomicInteger opened = new AtomicInteger();
        try (NotificationListener listener = new NotificationListener(
                channel(refusing(new AtomicBoolean(), opened)),
                false,
                channel(database.dataSource()),
                (stream) -> {},
                () -> {})) {
            listener.start();
            await().pollInterval(Duration.ofMillis(10))
                    .during(Duration.ofSeconds(3))
                    .atMost(Duration.ofSeconds(4))
                    .until(() -> {
                        if (listener.isListening()) {
                            terminate();
                        }
                        return opened.get() <= 4;
                    });
            assertThat(opened).hasValueGreaterThan(1);
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void warnsOnceIfItsOwnNotificationDoesNotArrive() throws SQLException {
        try (TestDatabase elsewhere = TestPostgres.shared().newDatabase()) {
            // Notifications stay within a database, so none arrives, as behind a pooler that shares sessions.
            listen(elsewhere, false, () -> {
                await().until(() -> !log.messages(Level.WARN).isEmpty());
                await().until(() -> listening() == 0);
            });

            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .contains(
                            "because it goes through a pooler",
                            "outbox.poller.interval",
                            "Set outbox.direct-url to a JDBC URL",
                            "outbox.poller.notify=false");
        }
    }

    @Test
    void blamesTheDirectUrlInsteadOfAskingForIt() throws SQLException {
        try (TestDatabase elsewhere = TestPostgres.shared().newDatabase()) {
            listen(
                    elsewhere,
                    true,
                    () -> await().until(() -> !log.messages(Level.WARN).isEmpty()));

            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .contains(
                            "because outbox.direct-url goes through a pooler", "Change it to a JDBC URL that bypasses")
                    .doesNotContain("Set outbox.direct-url");
        }
    }

    /** Until it listens again, pollers must not rely on it. */
    @Test
    void wakesPollersWhenItsConnectionBreaks() {
        AtomicBoolean refusing = new AtomicBoolean();
        AtomicInteger woken = new AtomicInteger();
        DelegatingDataSource unpooled = refusing(refusing, new AtomicInteger());
        try (NotificationListener listener = new NotificationListener(
                channel(unpooled), false, channel(database.dataSource()), (stream) -> {}, woken::incrementAndGet)) {
            listener.start();
            await().until(listener::isListening);
            refusing.set(true);
            terminate();

            await().until(() -> woken.get() == 2);
            assertThat(listener.isListening()).isFalse();
        }
    }

    @Test
    void connectionThatBreaksAloneIsReplacedWithoutALine() {
        AtomicInteger woken = new AtomicInteger();
        try (NotificationListener listener = new NotificationListener(
                channel(database.dataSource()),
                false,
                channel(database.dataSource()),
                (stream) -> {},
                woken::incrementAndGet)) {
            listener.start();
            await().until(listener::isListening);
            terminate();

            await().until(() -> woken.get() == 3);
            await().until(listener::isListening);
            assertThat(log.messages()).isEmpty();
        }
    }

    private void terminate() {
        JdbcClient.create(database.dataSource())
                .sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE datname = ? AND application_name = 'outbox-listener'")
                .param(database.name())
                .query(Boolean.class)
                .list();
    }

    @Test
    void repeatsANotificationThatCouldNotBeSent() {
        AtomicBoolean refusing = new AtomicBoolean(true);
        AtomicInteger attempts = new AtomicInteger();
        List<String> woken = new CopyOnWriteArrayList<>();
        DataSource refused = refusing(refusing, attempts);
        try (Notifications elsewhere = new Notifications(
                        true,
                        false,
                        refused,
                        Optional.empty(),
                        OutboxSchema.DEFAULT,
                        "elsewhere",
                        new Random(),
                        NO_WAKE_UPS);
                NotificationListener listener = new NotificationListener(
                        channel(database.dataSource()),
                        false,
                        channel(database.dataSource()),
                        (message) -> woken.add(message.wakeUp().stream()),
                        () -> {})) {
            elsewhere.start();
            listener.start();
            await().until(listener::isListening);
            elsewhere.committed(WakeUp.of("mail"));
            await().until(() -> attempts.get() >= 2);

            refusing.set(false);

            await().until(() -> woken.contains("mail"));
        }
    }

    @Test
    void listensAnewIfTheConnectionFreezesBeforeItListens() {
        try (FreezingNetwork network = new FreezingNetwork(database);
                NotificationListener listener = new NotificationListener(
                        channel(network.hastyDataSource()),
                        false,
                        channel(database.dataSource()),
                        (stream) -> {},
                        () -> {})) {
            network.freezeBeforeCall("outbox-listener", "createStatement");
            listener.start();

            await().until(network::hasFrozen);
            await().until(listener::isListening);
        }
    }

    private static NotificationChannel channel(DataSource dataSource) {
        return new NotificationChannel(dataSource, OutboxSchema.DEFAULT, "this");
    }

    private DelegatingDataSource refusing(AtomicBoolean refusing, AtomicInteger attempts) {
        return new DelegatingDataSource(database.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                attempts.incrementAndGet();
                if (refusing.get()) {
                    throw new SQLException("sorry, too many clients already", "53300");
                }
                return super.getConnection();
            }
        };
    }

    @Test
    void saysNothingIfItsOwnNotificationArrives() throws SQLException {
        listen(database, false, () -> await().pollDelay(Duration.ofSeconds(5)).until(() -> listening() == 1));

        assertThat(log.messages()).isEmpty();
    }

    private long listening() {
        return JdbcClient.create(database.dataSource())
                .sql("SELECT count(*) FROM pg_stat_activity WHERE datname = ? AND application_name = 'outbox-listener'")
                .param(database.name())
                .query(Long.class)
                .single();
    }

    /** Listens in the database of the test, while notifications are sent in another one. */
    private void listen(TestDatabase sending, boolean direct, Runnable whileListening) throws SQLException {
        try (NotificationListener listener = new NotificationListener(
                channel(database.dataSource()), direct, channel(sending.dataSource()), (stream) -> {}, () -> {})) {
            listener.start();
            whileListening.run();
        }
    }
}
