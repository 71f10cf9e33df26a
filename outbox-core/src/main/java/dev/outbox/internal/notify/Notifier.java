package dev.outbox.internal.notify;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.fault.FaultPoint;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Notifies other processes of committed events, outside the publishers' transactions: {@code NOTIFY} locks the whole cluster. */
final class Notifier implements AutoCloseable {

    /** Stands for no stream: the listener of this process looks out for it, and no process is woken. */
    private static final String TEST = "";

    private static final Duration COALESCING = Duration.ofMillis(5);
    private static final Duration UNTIL_WOKEN = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final NotificationChannel store;
    private final String worker;
    private final Set<String> streams = ConcurrentHashMap.newKeySet();
    private final BackgroundLoop loop = new BackgroundLoop("outbox-notifier", this::runOnce);
    private final AtomicLong testsSent = new AtomicLong();
    private volatile boolean started;
    private long sentAt = System.nanoTime() - COALESCING.toNanos();

    Notifier(NotificationChannel store, String worker) {
        this.store = store;
        this.worker = worker;
    }

    void start() {
        loop.start();
        started = true;
    }

    /** Notes that events were committed. Returns at once. */
    void committed(String stream) {
        if (streams.add(stream)) {
            loop.wake();
        }
    }

    /** Returns the name under which this process sends. */
    String worker() {
        return worker;
    }

    /** Sends a message that every listening process receives, this one included. Returns at once. */
    void test() {
        committed(TEST);
    }

    /** Returns how many tests have been sent. */
    long testsSent() {
        return testsSent.get();
    }

    private Duration runOnce() throws SQLException {
        Duration sinceSent = Duration.ofNanos(System.nanoTime() - sentAt);
        if (sinceSent.compareTo(COALESCING) < 0) {
            return COALESCING.minus(sinceSent);
        }
        Set<String> messages = new HashSet<>();
        Set<String> sending = Set.copyOf(streams);
        for (String stream : sending) {
            streams.remove(stream);
            messages.add(new Message(worker, stream).text());
        }
        if (!messages.isEmpty()) {
            sentAt = System.nanoTime();
            send(sending, messages);
        }
        if (sending.contains(TEST)) {
            testsSent.incrementAndGet();
        }
        return UNTIL_WOKEN;
    }

    /** A message that could not be sent is sent again: until they look, other processes rely on it. */
    private void send(Set<String> sending, Set<String> messages) throws SQLException {
        try {
            if (!sending.equals(Set.of(TEST))) {
                FaultPoint.BEFORE_NOTIFICATION.reached();
            }
            store.send(messages);
        } catch (SQLException | RuntimeException ex) {
            streams.addAll(sending);
            throw ex;
        }
    }

    /** Sends the rest, for at most a second: other processes find the events when they look. */
    @Override
    public void close() {
        long begun = System.nanoTime();
        while (started && !streams.isEmpty() && System.nanoTime() - begun < PATIENCE.toNanos()) {
            LockSupport.parkNanos(COALESCING.toNanos());
        }
        started = false;
        loop.close(PATIENCE);
    }

    /** Message to other processes. */
    record Message(String worker, String stream) {

        String text() {
            return worker + '\n' + stream;
        }

        static Message of(String text) {
            int end = text.indexOf('\n');
            return end < 0 ? new Message("", text) : new Message(text.substring(0, end), text.substring(end + 1));
        }
    }
}
