package dev.outbox.forwarding.internal;

import dev.outbox.forwarding.internal.Fault.Scope;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Sends messages on a thread of their destination, because a send may block, and notes which units fail or answer late. All routes to a
 * broker share it. Safe for use by many threads.
 */
public final class Sender<M> {

    /** How long a caller waits for answers. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    /** How long a caller waits for one answer: two callers in a row may meet the same fault. */
    static final Duration PATIENCE_FOR_ONE = Duration.ofMillis(500);

    /** How long it waits while the broker answers no caller and another caller waits. */
    private static final Duration PATIENCE_BESIDE_OTHERS = Duration.ofMillis(100);

    private static final Duration PAUSE = Duration.ofSeconds(4);

    /** A connection that fails after so long without an answer is replaced: after expired credentials, one may never send again. */
    private static final Duration STUCK_AFTER = Duration.ofMinutes(1);

    /** Longer than a change of leaders takes, and than the broker may take to tell that a destination is missing. */
    private static final Duration SILENT_AFTER = Duration.ofSeconds(6);

    private static final Duration LIFE_OF_IDLE_THREAD = Duration.ofSeconds(10);

    /** Bounds the memory that a unit without answers takes; a slow one needs some to answer many a second. */
    private static final int MOST_OPEN_OF_SUSPECT = 50;

    private final MessageTarget<M> target;
    private final Duration longestSend;
    private final LongSupplier nanos;
    private final Unit connection = new Unit("all destinations", Integer.MAX_VALUE);
    private final Map<String, Destination> destinations = new ConcurrentHashMap<>();
    private final Map<Object, Unit> units = new ConcurrentHashMap<>();

    private final Semaphore waiting = new Semaphore(1);

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

    /** Hands a message to the thread of its destination, unless the destination or the connection is paused. Does not block. */
    Sending send(M message) {
        Destination destination = destinations.computeIfAbsent(target.destination(message), Destination::named);
        long now = nanos.getAsLong();
        Sending sending = new Sending(connection, destination, now);
        if (isRefused(sending, connection, now) || isRefused(sending, destination.unit(), now)) {
            return sending;
        }
        if (connection.isSuspect() || destination.unit().isSuspect()) {
            sending.release();
        }
        connection.begin();
        destination.unit().begin();
        try {
            destination.thread().execute(() -> handOver(message, sending));
        } catch (Throwable ex) {
            destination.unit().end();
            failed(sending, target.classify(message, ex));
        }
        return sending;
    }

    private static boolean isRefused(Sending sending, Unit unit, long now) {
        Fault refusal = unit.refusal(now);
        if (refusal == null) {
            return false;
        }
        sending.end(refusal, unit);
        sending.release();
        return true;
    }

    private void handOver(M message, Sending sending) {
        Unit destination = sending.destination().unit();
        long begun = nanos.getAsLong();
        try {
            if (isInTime(sending, begun)) {
                handOver(message, sending, unit(message), begun);
            }
        } catch (Throwable ex) {
            failed(sending, target.classify(message, ex));
        } finally {
            destination.end();
            destination.takes(nanos.getAsLong() - begun <= PATIENCE_FOR_ONE.toNanos());
        }
    }

    /** A message that has waited long for the thread is not sent any more: another instance may handle its event by now. */
    private boolean isInTime(Sending sending, long now) {
        if (now - sending.begunAt() <= PATIENCE.toNanos()) {
            return true;
        }
        connection.end();
        sending.end(
                Fault.ofEnvironment(Scope.MESSAGE, "not sent, because the one before it took too long", null),
                sending.destination().unit());
        sending.release();
        return false;
    }

    private Unit unit(M message) {
        Object key = target.unit(message);
        return units.computeIfAbsent(key, (unknown) -> new Unit(unknown.toString(), MOST_OPEN_OF_SUSPECT));
    }

    private void handOver(M message, Sending sending, Unit unit, long now) {
        if (isRefused(sending, unit, now)) {
            connection.end();
            return;
        }
        if (unit.isSuspect()) {
            sending.release();
        }
        unit.begin();
        sending.handOver(unit);
        target.send(message).whenComplete((result, failure) -> {
            if (failure == null) {
                acknowledged(sending);
            } else {
                failed(sending, target.classify(message, failure));
            }
        });
    }

    private void acknowledged(Sending sending) {
        Unit unit = sending.holder();
        if (sending.end(null, unit)) {
            workedAt = nanos.getAsLong();
            boolean promptly = workedAt - sending.begunAt() <= PATIENCE_FOR_ONE.toNanos();
            unit.end();
            connection.end();
            sending.path().forEach((one) -> one.works(promptly));
            sending.release();
        }
    }

    /** Ends a message, and pauses what has the fault. */
    private void failed(Sending sending, Fault fault) {
        long now = nanos.getAsLong();
        Unit unit = sending.unit();
        Unit blamed = switch (fault.scope()) {
            case MESSAGE, UNIT -> sending.holder();
            case DESTINATION -> sending.destination().unit();
            case CONNECTION -> connection;
        };
        if (!sending.end(fault, blamed)) {
            return;
        }
        connection.end();
        if (unit != null) {
            unit.end();
        }
        if (fault.isOfEnvironment()) {
            blamed.failed(fault, now + PAUSE.toNanos());
            if (now - workedAt > STUCK_AFTER.toNanos()) {
                replace(sending, now);
            }
        }
        sending.release();
    }

    private void replace(Sending sending, long now) {
        workedAt = now;
        sending.destination().thread().execute(target::replace);
    }

    /** Returns whether a message that a caller has left has no end yet. One without an end for too long fails, and its connection is replaced. */
    boolean isOpen(Sending sending) {
        long now = nanos.getAsLong();
        if (sending.end() == null && now - sending.begunAt() > longestSend.toNanos()) {
            failed(
                    sending,
                    Fault.ofEnvironment(
                            Scope.CONNECTION,
                            "a message for " + sending.holder().name() + " was not completed within "
                                    + longestSend.toSeconds() + " s, so the connection is replaced",
                            null));
            replace(sending, now);
        }
        return sending.end() == null;
    }

    /** Returns whether a message has waited for its answer for so long that this is a fault. */
    boolean isSilent(Sending sending) {
        return nanos.getAsLong() - sending.begunAt() > SILENT_AFTER.toNanos();
    }

    /** Waits for an answer until a point in time. While the broker answers no caller, one caller waits for all. */
    void await(Sending sending, long until) throws InterruptedException {
        if (sending.await(step(until))) {
            return;
        }
        boolean waitsForAll = waiting.tryAcquire();
        try {
            while ((waitsForAll || !isQuiet(nanos.getAsLong())) && until - nanos.getAsLong() > 0) {
                if (sending.await(step(until))) {
                    return;
                }
            }
        } finally {
            if (waitsForAll) {
                waiting.release();
            }
        }
    }

    private long step(long until) {
        return Math.min(PATIENCE_BESIDE_OTHERS.toNanos(), until - nanos.getAsLong());
    }

    private boolean isQuiet(long now) {
        return now - workedAt >= PATIENCE_BESIDE_OTHERS.toNanos();
    }

    /** Notes that a caller which came at the given time leaves a message without an answer. */
    void leave(Sending sending, long came) {
        sending.release();
        long now = nanos.getAsLong();
        if (now - sending.begunAt() >= PATIENCE_BESIDE_OTHERS.toNanos()) {
            sending.holder().late();
        }
        if (workedAt - came < 0 && now - came >= PATIENCE_BESIDE_OTHERS.toNanos()) {
            connection.late();
        }
    }
}
