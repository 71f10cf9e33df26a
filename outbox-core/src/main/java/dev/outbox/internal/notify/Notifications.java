package dev.outbox.internal.notify;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.schema.UnpooledDataSource;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups between instances: sends those of this instance's commits and, if it polls, receives those of others. Sends outside the
 * publishers' transactions: {@code NOTIFY} locks the whole cluster. An instance that can claim its own events announces them only if it has
 * not claimed them within a moment; a message asks one instance to respond at once.
 */
public final class Notifications implements Announcements, AutoCloseable {

    /** How long this instance has to claim its own events. */
    public static final Duration MOMENT = Duration.ofMillis(10);

    /** How many events are known by their ids; of more, some are probably left to others. */
    private static final int MOST_IDS = 100;

    private static final Logger log = LoggerFactory.getLogger(Notifications.class);
    private static final Duration COALESCING = Duration.ofMillis(5);
    private static final Duration UNTIL_WOKEN = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final boolean sends;
    private final boolean receives;
    private final NotificationChannel channel;
    private final @Nullable NotificationListener listener;
    private final Responders responders;
    private final WakeUps wakeUps;
    private final RandomGenerator random;
    private final Map<WakeUp, Announcement> announcements = new ConcurrentHashMap<>();

    /** Streams of which the last claim was full. */
    private final Set<String> full = ConcurrentHashMap.newKeySet();

    private final BackgroundLoop loop;
    private volatile boolean started;
    private long sentAt = System.nanoTime() - COALESCING.toNanos();

    /** Receives the messages of other instances. */
    public interface WakeUps {

        /** Looks for work at once. With {@code hops} left, a busy instance passes the message on. */
        void wake(WakeUp wakeUp, int hops);

        /** Looks for work soon, in case the instance that was asked to fails. */
        void wakeLater(WakeUp wakeUp);
    }

    /**
     * Work in a stream that other instances shall know of at a time. It is withdrawn before if this instance claims the events; without ids,
     * if it claims any.
     */
    private record Announcement(long dueAt, boolean isFixed, int hops, Set<UUID> eventIds) {

        static Announcement fixed(int hops) {
            return new Announcement(System.nanoTime(), true, hops, Set.of());
        }

        Announcement and(Announcement other) {
            boolean fixed = isFixed || other.isFixed;
            Set<UUID> all = new HashSet<>();
            if (!fixed && eventIds.size() + other.eventIds.size() > MOST_IDS) {
                fixed = true;
            } else if (!fixed) {
                all.addAll(eventIds);
                all.addAll(other.eventIds);
            }
            boolean isForAll = Math.max(hops, other.hops) >= NotificationChannel.Message.FOR_ALL;
            return new Announcement(
                    dueAt - other.dueAt < 0 ? dueAt : other.dueAt,
                    fixed,
                    isForAll ? NotificationChannel.Message.FOR_ALL : Math.min(hops, other.hops),
                    all);
        }

        @Nullable
        Announcement without(Set<UUID> claimed) {
            if (isFixed || claimed.isEmpty()) {
                return this;
            }
            Set<UUID> left = new HashSet<>(eventIds);
            left.removeAll(claimed);
            return left.isEmpty() ? null : new Announcement(dueAt, false, hops, left);
        }

        boolean isDue(long now) {
            return dueAt - now <= 0;
        }

        /** Returns whether sending this one, which happens later, announces the other too. */
        boolean covers(Announcement other) {
            return isFixed
                    && other.isFixed
                    && (hops >= NotificationChannel.Message.FOR_ALL
                            || (other.hops < NotificationChannel.Message.FOR_ALL && hops <= other.hops));
        }
    }

    /** Creates wake-ups that are not started; receiving takes a connection outside the pool. */
    public Notifications(
            boolean enabled,
            boolean polling,
            DataSource dataSource,
            Optional<DataSource> unpooled,
            OutboxSchema schema,
            String worker,
            RandomGenerator random,
            WakeUps wakeUps) {
        this.sends = enabled;
        this.receives = enabled && polling;
        this.channel = new NotificationChannel(dataSource, schema, worker);
        this.loop = new BackgroundLoop("outbox-notifier", dataSource, this::runOnce);
        this.responders = new Responders(worker);
        this.random = random;
        this.wakeUps = wakeUps;
        this.listener = unpooled.filter((own) -> receives)
                .map((own) -> new NotificationListener(
                        new NotificationChannel(own, schema, worker),
                        own instanceof UnpooledDataSource known && known.hasOwnUrl(),
                        channel,
                        this::received,
                        () -> wakeUps.wake(WakeUp.EVERYTHING, 0)))
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

    /** Notes the other instances, by the streams that they poll. */
    public void know(Map<String, Set<String>> others) {
        responders.know(others);
    }

    /** Returns whether this instance comes first among those that poll one of the streams. */
    public boolean leads(Set<String> polled) {
        return responders.leads(polled);
    }

    private void received(NotificationChannel.Message message) {
        if (message.isForAll() || responders.isChosen(message)) {
            wakeUps.wake(message.wakeUp(), NotificationChannel.Message.FOR_ALL - message.hops());
        } else {
            wakeUps.wakeLater(message.wakeUp());
        }
    }

    /** Announces work to every instance: only some can do it. Returns at once. */
    public void committed(WakeUp wakeUp) {
        announce(wakeUp, Announcement.fixed(NotificationChannel.Message.FOR_ALL));
    }

    /** Announces events to one other instance. Returns at once. */
    public void published(String stream) {
        announce(WakeUp.of(stream), Announcement.fixed(0));
    }

    /** Passes a message on that this instance is too busy for. Returns at once. */
    public void passOn(WakeUp wakeUp, int hops) {
        announce(wakeUp, Announcement.fixed(NotificationChannel.Message.FOR_ALL - hops + 1));
    }

    /** Announces events to one other instance unless this one claims them within a moment; without ids, any. Returns at once. */
    public void publishedHere(String stream, Collection<UUID> eventIds) {
        long at = System.nanoTime() + MOMENT.toNanos();
        announce(WakeUp.of(stream), new Announcement(at, false, 0, Set.copyOf(eventIds)));
    }

    private void announce(WakeUp wakeUp, Announcement announcement) {
        Announcement waiting = announcements.get(wakeUp);
        if (sends && (waiting == null || !waiting.covers(announcement))) {
            announcements.merge(wakeUp, announcement, Announcement::and);
            if (announcement.isFixed()) {
                loop.wake();
            } else {
                loop.wakeWithin(MOMENT);
            }
        }
    }

    @Override
    public void delegated(String stream) {
        committed(WakeUp.of(stream));
    }

    @Override
    public void claimed(String stream, Supplier<Set<UUID>> eventIds, boolean isFull) {
        announcements.computeIfPresent(
                WakeUp.of(stream), (wakeUp, announcement) -> announcement.without(eventIds.get()));
        if (!isFull) {
            full.remove(stream);
        } else if (full.add(stream)) {
            published(stream);
        }
    }

    @Override
    public int pollers(String stream) {
        return responders.pollers(stream);
    }

    private Duration runOnce() throws SQLException {
        long now = System.nanoTime();
        Duration sinceSent = Duration.ofNanos(now - sentAt);
        if (sinceSent.compareTo(COALESCING) < 0) {
            return COALESCING.minus(sinceSent);
        }
        Map<WakeUp, Announcement> due = new HashMap<>();
        for (WakeUp each : announcements.keySet()) {
            // Atomic: publishers replace the value all the time.
            announcements.computeIfPresent(each, (wakeUp, announcement) -> {
                if (!announcement.isDue(now)) {
                    return announcement;
                }
                due.put(wakeUp, announcement);
                return null;
            });
        }
        if (!due.isEmpty()) {
            sentAt = now;
            send(due);
        }
        return announcements.values().stream()
                .map((held) -> Duration.ofNanos(Math.max(0, held.dueAt() - now)))
                .min(Duration::compareTo)
                .orElse(UNTIL_WOKEN);
    }

    /** A message that could not be sent is sent again: until they look, other processes rely on it. */
    private void send(Map<WakeUp, Announcement> due) throws SQLException {
        try {
            FaultPoint.BEFORE_NOTIFICATION.reached();
            List<NotificationChannel.Message> messages = due.entrySet().stream()
                    .map((one) -> channel.message(
                            random.nextInt(Integer.MAX_VALUE), one.getValue().hops(), one.getKey()))
                    .toList();
            boolean always =
                    due.values().stream().anyMatch((one) -> one.eventIds().isEmpty());
            Set<UUID> eventIds = due.values().stream()
                    .flatMap((one) -> one.eventIds().stream())
                    .collect(Collectors.toSet());
            if (always) {
                channel.send(messages);
            } else {
                channel.sendIfPending(messages, eventIds);
            }
        } catch (SQLException | RuntimeException ex) {
            due.forEach((wakeUp, announcement) -> announcements.merge(wakeUp, announcement, Announcement::and));
            throw ex;
        }
    }

    /** Returns whether nothing is left to announce. */
    boolean isEmpty() {
        return announcements.isEmpty();
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
        while (started && !isEmpty() && System.nanoTime() - begun < PATIENCE.toNanos()) {
            LockSupport.parkNanos(COALESCING.toNanos());
        }
        started = false;
        loop.close(PATIENCE);
    }
}
