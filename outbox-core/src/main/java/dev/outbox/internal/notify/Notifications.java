package dev.outbox.internal.notify;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups between instances: sends those of this instance's commits and, if it polls, receives those of others. Sends outside the
 * publishers' transactions: {@code NOTIFY} locks the whole cluster.
 */
public final class Notifications implements AutoCloseable {

    /** Stands for every stream, and for what belongs to none: replays and registrations. */
    public static final String EVERY_STREAM = "*";

    private static final Logger log = LoggerFactory.getLogger(Notifications.class);
    private static final Duration COALESCING = Duration.ofMillis(5);
    private static final Duration UNTIL_WOKEN = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final boolean sends;
    private final boolean receives;
    private final NotificationChannel channel;
    private final @Nullable NotificationListener listener;
    private final Set<String> streams = ConcurrentHashMap.newKeySet();
    private final BackgroundLoop loop = new BackgroundLoop("outbox-notifier", this::runOnce);
    private volatile boolean started;
    private long sentAt = System.nanoTime() - COALESCING.toNanos();

    /** Creates wake-ups that are not started; receiving takes a connection outside the pool. */
    public Notifications(
            boolean enabled,
            boolean polling,
            DataSource dataSource,
            Optional<DataSource> unpooled,
            OutboxSchema schema,
            String worker,
            Consumer<String> wake,
            Runnable wakeAll) {
        this.sends = enabled;
        this.receives = enabled && polling;
        this.channel = new NotificationChannel(dataSource, schema, worker);
        this.listener = unpooled.filter((own) -> receives)
                .map((own) ->
                        new NotificationListener(new NotificationChannel(own, schema, worker), channel, wake, wakeAll))
                .orElse(null);
    }

    public void start() {
        if (sends) {
            loop.start();
            started = true;
        }
        if (listener != null) {
            listener.start();
        } else if (receives) {
            log.info(
                    "This instance receives no wake-ups of other instances: the DataSource does not reveal how to open a"
                            + " connection outside its pool; streams are polled at their interval");
        }
    }

    /** Notes that events were committed. Returns at once. */
    public void committed(String stream) {
        if (sends && streams.add(stream)) {
            loop.wake();
        }
    }

    private Duration runOnce() throws SQLException {
        Duration sinceSent = Duration.ofNanos(System.nanoTime() - sentAt);
        if (sinceSent.compareTo(COALESCING) < 0) {
            return COALESCING.minus(sinceSent);
        }
        Set<String> sending = Set.copyOf(streams);
        if (!sending.isEmpty()) {
            streams.removeAll(sending);
            sentAt = System.nanoTime();
            send(sending);
        }
        return UNTIL_WOKEN;
    }

    /** A message that could not be sent is sent again: until they look, other processes rely on it. */
    private void send(Set<String> sending) throws SQLException {
        try {
            FaultPoint.BEFORE_NOTIFICATION.reached();
            channel.send(sending);
        } catch (SQLException | RuntimeException ex) {
            streams.addAll(sending);
            throw ex;
        }
    }

    /** Returns whether wake-ups of other instances arrive: the connection has passed its test and not failed since. */
    public boolean areReceived() {
        return listener != null && listener.isListening();
    }

    /** Closes the connection outside the pool; this instance still sends. */
    public void stopReceiving() {
        if (listener != null) {
            listener.close();
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
}
