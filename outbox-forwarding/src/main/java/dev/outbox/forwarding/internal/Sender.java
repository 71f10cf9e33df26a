package dev.outbox.forwarding.internal;

import dev.outbox.forwarding.internal.Fault.Scope;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages on a thread of their destination, because a send may block, and notes which units fail or do not answer. All routes to a
 * broker share it. Safe for use by many threads.
 */
public final class Sender<M> {

    /** How long a message may wait for the thread of its destination: longer than a client needs for its first connection. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration PAUSE = Duration.ofSeconds(4);

    /** A connection that fails after so long without an answer is replaced: after expired credentials, one may never send again. */
    private static final Duration STUCK_AFTER = Duration.ofMinutes(1);

    /** Longer than a change of leaders takes, and than the broker may take to tell that a destination is missing. */
    private static final Duration SILENT_AFTER = Duration.ofSeconds(6);

    private static final Fault NOT_SENT =
            Fault.ofEnvironment(Scope.MESSAGE, "not sent, because the messages before it took too long", null);

    private static final Duration LIFE_OF_IDLE_THREAD = Duration.ofSeconds(10);

    /** Bounds the memory that a unit without answers takes; a slow one needs some to answer many a second. */
    private static final int MOST_OPEN_OF_SUSPECT = 50;

    private final MessageTarget<M> target;
    private final Duration longestSend;
    private final LongSupplier nanos;
    private final Unit connection = new Unit("all destinations", Integer.MAX_VALUE);
    private final Map<String, Destination> destinations = new ConcurrentHashMap<>();
    private final Map<Object, Unit> units = new ConcurrentHashMap<>();

    /** Messages without an end. */
    private final Set<Sending> open = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean watched = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor watch;

    /** When the broker acknowledged a message, or the connection was replaced. */
    private volatile long workedAt;

    /**
     * Creates a sender.
     *
     * @param target the broker
     * @param longestSend how long the broker may take to complete a message
     * @param nanos the monotonic time
     */
    public Sender(MessageTarget<M> target, Duration longestSend, LongSupplier nanos) {
        this.target = target;
        this.longestSend = longestSend;
        this.nanos = nanos;
        this.workedAt = nanos.getAsLong();
        this.watch = new ScheduledThreadPoolExecutor(1, (work) -> Destination.daemon(work, "watch"));
        watch.setKeepAliveTime(LIFE_OF_IDLE_THREAD.toMillis(), TimeUnit.MILLISECONDS);
        watch.allowCoreThreadTimeOut(true);
    }

    /** Destination with its thread, which lives while there is something to send. If it is suspect, one message at a time tries it. */
    record Destination(Unit unit, Executor thread) {

        private static Destination named(String name) {
            ThreadPoolExecutor thread = new ThreadPoolExecutor(
                    1,
                    1,
                    LIFE_OF_IDLE_THREAD.toMillis(),
                    TimeUnit.MILLISECONDS,
                    new LinkedBlockingQueue<>(),
                    (work) -> daemon(work, name));
            thread.allowCoreThreadTimeOut(true);
            return new Destination(new Unit(name, 1), thread);
        }

        private static Thread daemon(Runnable work, String name) {
            Thread thread = new Thread(work, "outbox-forwarder-" + name);
            thread.setDaemon(true);
            return thread;
        }
    }

    /** Returns the unit of all destinations. */
    Unit connection() {
        return connection;
    }

    /**
     * Hands a message to the thread of its destination, unless the destination or the connection is paused. Does not block.
     *
     * @param over tells whether it is too late to send the message
     * @param silent what to call, each second, while the message has no answer for so long that this is a fault
     */
    Sending send(M message, BooleanSupplier over, Consumer<Sending> silent) {
        Destination destination = destinations.computeIfAbsent(target.destination(message), Destination::named);
        long now = nanos.getAsLong();
        Sending sending = new Sending(connection, destination, silent, now);
        if (isRefused(sending, connection, now) || isRefused(sending, destination.unit(), now)) {
            return sending;
        }
        connection.begin(now);
        destination.unit().begin(now);
        open.add(sending);
        try {
            keepWatch();
            destination.thread().execute(() -> handOver(message, sending, over));
        } catch (Throwable ex) {
            destination.unit().end();
            failed(sending, target.classify(message, ex));
        }
        return sending;
    }

    private void keepWatch() {
        if (!open.isEmpty() && watched.compareAndSet(false, true)) {
            try {
                Future<?> unused = watch.schedule(this::watch, 1, TimeUnit.SECONDS);
            } catch (Throwable ex) {
                watched.set(false);
                throw ex;
            }
        }
    }

    private void watch() {
        watched.set(false);
        try {
            look();
        } finally {
            keepWatch();
        }
    }

    /** Tells which messages have no answer for too long. One that has none for ever fails, and its connection is replaced. */
    void look() {
        long now = nanos.getAsLong();
        boolean endless = false;
        for (Sending sending : open) {
            long age = now - sending.handedOverAt();
            if (age > longestSend.toNanos()) {
                endless = true;
                failed(
                        sending,
                        Fault.ofEnvironment(
                                Scope.CONNECTION,
                                "a message for " + sending.holder().name() + " was not completed within "
                                        + longestSend.toSeconds() + " s, so the connection is replaced",
                                null));
            } else if (age > SILENT_AFTER.toNanos()) {
                sending.silent();
            }
        }
        if (endless) {
            replace(now);
        }
    }

    private static boolean isRefused(Sending sending, Unit unit, long now) {
        Fault refusal = unit.refusal(now);
        if (refusal == null) {
            return false;
        }
        sending.end(refusal, unit);
        return true;
    }

    private void handOver(M message, Sending sending, BooleanSupplier over) {
        Unit destination = sending.destination().unit();
        long now = nanos.getAsLong();
        try {
            Fault pause = destination.pause(now);
            Fault pauseOfAll = connection.pause(now);
            if (pause != null) {
                end(sending, pause, destination);
            } else if (pauseOfAll != null) {
                end(sending, pauseOfAll, connection);
            } else if (over.getAsBoolean() || now - sending.begunAt() > PATIENCE.toNanos()) {
                end(sending, NOT_SENT, destination);
            } else {
                handOver(message, sending, unit(message), now);
            }
        } catch (Throwable ex) {
            failed(sending, target.classify(message, ex));
        } finally {
            destination.end();
            destination.takes(nanos.getAsLong());
        }
    }

    /** Ends a message that was begun. Returns {@code false} if it has ended before. */
    private boolean end(Sending sending, @Nullable Fault fault, Unit by) {
        if (!open.remove(sending)) {
            return false;
        }
        connection.end();
        Unit unit = sending.unit();
        if (unit != null) {
            unit.end();
        }
        return sending.end(fault, by);
    }

    private Unit unit(M message) {
        Object key = target.unit(message);
        return units.computeIfAbsent(key, (unknown) -> new Unit(unknown.toString(), MOST_OPEN_OF_SUSPECT));
    }

    private void handOver(M message, Sending sending, Unit unit, long now) {
        Fault refusal = unit.refusal(now);
        if (refusal != null) {
            end(sending, refusal, unit);
            return;
        }
        if (!open.contains(sending)) {
            return;
        }
        unit.begin(now);
        sending.handOver(unit, now);
        target.send(message).whenComplete((result, failure) -> {
            if (failure == null) {
                acknowledged(sending);
            } else {
                failed(sending, target.classify(message, failure));
            }
        });
    }

    private void acknowledged(Sending sending) {
        long now = nanos.getAsLong();
        workedAt = now;
        sending.path().forEach((one) -> one.works(now));
        end(sending, null, sending.holder());
    }

    /** Pauses what has the fault, and ends the message. */
    private void failed(Sending sending, Fault fault) {
        if (!open.contains(sending)) {
            return;
        }
        long now = nanos.getAsLong();
        Unit blamed = switch (fault.scope()) {
            case MESSAGE, UNIT -> sending.holder();
            case DESTINATION -> sending.destination().unit();
            case CONNECTION -> connection;
        };
        if (fault.isOfEnvironment()) {
            blamed.failed(fault, now + PAUSE.toNanos());
        }
        end(sending, fault, blamed);
        if (fault.isOfEnvironment() && now - workedAt > STUCK_AFTER.toNanos()) {
            replace(now);
        }
    }

    /** On a thread of its own, because those of destinations may wait for the connection. */
    private void replace(long now) {
        workedAt = now;
        Destination.daemon(target::replace, "replacement").start();
    }
}
