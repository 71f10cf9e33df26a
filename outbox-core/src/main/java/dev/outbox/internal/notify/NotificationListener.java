package dev.outbox.internal.notify;

import dev.outbox.internal.background.BackgroundLoop;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes pollers when other processes commit events; wakes all of them when its connection is back. Closes a connection that fails its
 * self-test, and tries another one a minute later.
 */
public final class NotificationListener implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(NotificationListener.class);

    private static final Duration WAIT = Duration.ofMillis(250);
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(30);
    private static final Duration AFTER_FAILED_TEST = Duration.ofMinutes(1);

    private final NotificationChannel store;
    private final String worker;
    private final Consumer<String> wakeUp;
    private final Runnable wakeAll;
    private final ListenerSelfTest selfTest;
    private final BackgroundLoop loop = new BackgroundLoop("outbox-listener", this::runOnce);
    private NotificationChannel.@Nullable Subscription subscription;
    private long checkedAt;

    public NotificationListener(
            NotificationChannel store, Notifier notifier, Consumer<String> wakeUp, Runnable wakeAll) {
        this.store = store;
        this.worker = notifier.worker();
        this.selfTest = new ListenerSelfTest(notifier);
        this.wakeUp = wakeUp;
        this.wakeAll = wakeAll;
    }

    public void start() {
        loop.start();
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
            selfTest.begin();
        }
        try {
            listen(current);
            if (selfTest.isOverdue()) {
                current.unlisten();
                selfTest.fail();
                drop();
                return AFTER_FAILED_TEST;
            }
        } catch (SQLException ex) {
            drop();
            throw ex;
        }
        return Duration.ZERO;
    }

    private NotificationChannel.Subscription open() throws SQLException {
        try {
            return store.listen();
        } catch (SQLException ex) {
            throw new SQLException(
                    "No connection for wake-ups could be opened; until then, streams are polled at their interval: "
                            + ex.getMessage(),
                    ex.getSQLState(),
                    ex);
        }
    }

    private void listen(NotificationChannel.Subscription current) throws SQLException {
        List<String> messages = current.receive(WAIT);
        if (!messages.isEmpty()) {
            selfTest.received();
        }
        for (String text : messages) {
            Notifier.Message message = Notifier.Message.of(text);
            if (!message.worker().equals(worker)) {
                wakeUp.accept(message.stream());
            }
        }
        if (System.nanoTime() - checkedAt > BETWEEN_CHECKS.toNanos()) {
            current.check();
            checkedAt = System.nanoTime();
        }
    }

    private void drop() {
        NotificationChannel.Subscription current = subscription;
        subscription = null;
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
        drop();
    }
}
