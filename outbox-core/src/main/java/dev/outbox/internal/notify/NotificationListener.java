package dev.outbox.internal.notify;

import dev.outbox.internal.background.BackgroundLoop;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes pollers when other processes commit events; wakes all of them when its connection breaks and when it is back. Tests each connection
 * with a message of this process. Behind a pooler that shares sessions none arrives, because the {@code LISTEN} belongs to a session that serves others
 * afterwards: the connection is then closed, and another one tested a minute later.
 */
final class NotificationListener implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(NotificationListener.class);

    private static final Duration WAIT = Duration.ofMillis(250);
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(30);
    private static final Duration AFTER_FAILED_TEST = Duration.ofMinutes(1);
    /** The next connection may end at once too. */
    private static final Duration AFTER_LOSS = Duration.ofSeconds(1);
    /** Rounds rather than a time, because a suspended process receives nothing. */
    private static final int ROUNDS_OF_TEST = 12;

    private final NotificationChannel channel;
    private final boolean direct;
    private final NotificationChannel sender;
    private final Consumer<NotificationChannel.Message> received;
    private final Runnable wakeAll;
    private final BackgroundLoop loop;
    private NotificationChannel.@Nullable Subscription subscription;
    private long checkedAt;
    private boolean testing;
    private volatile boolean listening;
    private boolean failed;
    private int rounds;

    /** Receives on the connection of one channel, and sends the test on those of another channel. */
    NotificationListener(
            NotificationChannel channel,
            boolean direct,
            NotificationChannel sender,
            Consumer<NotificationChannel.Message> received,
            Runnable wakeAll) {
        this.channel = channel;
        this.direct = direct;
        this.sender = sender;
        this.received = received;
        this.wakeAll = wakeAll;
        this.loop = new BackgroundLoop("outbox-listener", sender.dataSource(), this::runOnce);
    }

    void start() {
        loop.start();
    }

    /** Returns whether the current connection has passed its test. */
    boolean isListening() {
        return listening;
    }

    private Duration runOnce() throws SQLException {
        NotificationChannel.Subscription current = subscription;
        if (current == null) {
            current = open();
            subscription = current;
            if (loop.isClosing()) {
                drop();
                return Duration.ZERO;
            }
            checkedAt = System.nanoTime();
            wakeAll.run();
            testing = true;
            rounds = 0;
        }
        if (testing && rounds == 0) {
            sender.send(Set.of(sender.message(0, 0, WakeUp.of(""))));
        }
        try {
            listen(current);
            if (testing && ++rounds >= ROUNDS_OF_TEST) {
                current.unlisten();
                failTest();
                drop();
                return AFTER_FAILED_TEST;
            }
        } catch (SQLException ex) {
            boolean tested = listening;
            drop();
            if (!tested) {
                throw failure(ex);
            }
            log.debug("The connection that listens for new events has ended; opening another", ex);
            return AFTER_LOSS;
        }
        return Duration.ZERO;
    }

    private NotificationChannel.Subscription open() throws SQLException {
        try {
            return channel.listen();
        } catch (SQLException ex) {
            // A pool waits for the end of an outage: it may have lasted until now.
            sender.check();
        }
        try {
            return channel.listen();
        } catch (SQLException ex) {
            throw failure(ex);
        }
    }

    /**
     * Returns a failure of wake-ups alone; if the connections that send fail too, throws theirs. The exception is suppressed instead of a
     * cause, which would tell of an outage of the database.
     */
    private IllegalStateException failure(SQLException ex) throws SQLException {
        sender.check();
        IllegalStateException failure = new IllegalStateException(
                "No connection for wake-ups could be opened; until then, streams are polled at their interval: "
                        + ex.getMessage());
        failure.addSuppressed(ex);
        return failure;
    }

    private void listen(NotificationChannel.Subscription current) throws SQLException {
        List<NotificationChannel.Message> messages = current.receive(WAIT);
        if (!messages.isEmpty()) {
            passTest();
        }
        messages.stream().filter((message) -> !channel.isOwn(message)).forEach(received);
        if (System.nanoTime() - checkedAt > BETWEEN_CHECKS.toNanos()) {
            current.check();
            checkedAt = System.nanoTime();
        }
    }

    private void passTest() {
        if (failed) {
            log.info("Notifications arrive again: other instances wake this one");
        }
        testing = false;
        listening = true;
        failed = false;
    }

    private void failTest() {
        testing = false;
        if (!failed) {
            failed = true;
            log.warn(
                    "The connection that listens for new events receives no notifications, probably because {} goes through a pooler"
                            + " that shares sessions, such as PgBouncer in transaction mode. This instance finds the events of other"
                            + " instances at the interval of each stream (outbox.poller.interval). {} a JDBC URL that"
                            + " bypasses the pooler, or outbox.poller.notify=false. Such a pooler also needs prepareThreshold=0 in the URL of the"
                            + " DataSource, unless it follows prepared statements",
                    direct ? "outbox.direct-url" : "it",
                    direct ? "Change it to" : "Set outbox.direct-url to");
        }
    }

    private void drop() {
        NotificationChannel.Subscription current = subscription;
        subscription = null;
        if (listening) {
            // In this order: a poller that is woken must not find that wake-ups arrive.
            listening = false;
            wakeAll.run();
        }
        if (current != null) {
            try {
                current.close();
            } catch (SQLException ex) {
                log.debug("The connection for wake-ups could not be closed", ex);
            }
        }
    }

    @Override
    public void close() {
        loop.close(WAIT.multipliedBy(4));
        listening = false;
        drop();
    }
}
