package dev.outbox.internal.notify;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks that a listening connection receives what this process sends. Behind a pooler that shares sessions it never does, because its
 * {@code LISTEN} belongs to a session that serves others afterwards. Used by the thread of the listener.
 */
final class ListenerSelfTest {

    private static final Logger log = LoggerFactory.getLogger(ListenerSelfTest.class);

    /** Rounds of the listener rather than a time, because a suspended process receives nothing. */
    private static final int ROUNDS = 12;

    private final Notifier notifier;
    private boolean open;
    private boolean failed;
    private long sentBefore;
    private int rounds;

    ListenerSelfTest(Notifier notifier) {
        this.notifier = notifier;
    }

    /** Begins a test of a connection that listens. */
    void begin() {
        open = true;
        rounds = 0;
        sentBefore = notifier.testsSent();
        notifier.test();
    }

    /** Ends the test: the connection received a notification. */
    void received() {
        if (failed) {
            log.info("Notifications arrive again: other instances wake this one");
        }
        open = false;
        failed = false;
    }

    /** Returns whether a round without notifications was the last one of a test whose notification had been sent. */
    boolean isOverdue() {
        return open && notifier.testsSent() > sentBefore && ++rounds >= ROUNDS;
    }

    /** Ends the test without success, which is reported once. */
    void fail() {
        open = false;
        if (!failed) {
            failed = true;
            log.warn(
                    "The connection that listens for new events receives no notifications, probably because it goes through a pooler"
                            + " that shares sessions, such as PgBouncer in transaction mode. This instance finds the events of other"
                            + " instances at the interval of each stream (outbox.poller.interval). Set outbox.direct-url to a JDBC URL that"
                            + " bypasses the pooler, or outbox.poller.notify=false. Such a pooler also needs prepareThreshold=0 in the URL of the"
                            + " DataSource, unless it follows prepared statements");
        }
    }
}
