package dev.outbox.internal.background;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that repeats a task, or several in turn, and survives their failures. A task that fails is repeated with a backoff that no wake-up
 * shortens; it holds up the others only while it runs.
 */
public final class BackgroundLoop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(BackgroundLoop.class);

    private static final Duration FIRST_BACKOFF = Duration.ofMillis(100);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(2);
    private static final Duration GRACE_AFTER_INTERRUPT = Duration.ofSeconds(1);

    private final String name;
    private final ThreadFactory threads;
    private final @Nullable DatabaseOutage outage;
    private final List<Task> tasks = new ArrayList<>();
    private final ReentrantLock lifecycle = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    private @Nullable Thread thread;
    private volatile boolean closing;

    /** Creates a loop whose daemon thread has not started, and has no task yet. The loops of a database share the lines about its outages. */
    public BackgroundLoop(String name, DataSource database) {
        this(name, DatabaseOutage.of(database));
    }

    BackgroundLoop(String name, DatabaseOutage outage) {
        this(name, BackgroundLoop::daemon, outage);
    }

    private BackgroundLoop(String name, ThreadFactory threads, @Nullable DatabaseOutage outage) {
        this.name = name;
        this.threads = threads;
        this.outage = outage;
    }

    /** Creates a loop that uses no database. The step is one round of its task, and returns the time until the next. */
    public BackgroundLoop(String name, Callable<Duration> step) {
        this(name, BackgroundLoop::daemon, null);
        add(name, step);
    }

    /** Creates a loop whose daemon thread has not started. The step is one round of its task, and returns the time until the next. */
    public BackgroundLoop(String name, DataSource database, Callable<Duration> step) {
        this(name, database, step, BackgroundLoop::daemon);
    }

    public BackgroundLoop(String name, DataSource database, Callable<Duration> step, ThreadFactory threads) {
        this(name, threads, DatabaseOutage.of(database));
        add(name, step);
    }

    /** Adds a task before the loop starts. The step is one round, and returns the time until the next. */
    public Task add(String task, Callable<Duration> step) {
        Task added = new Task(task, step);
        tasks.add(added);
        return added;
    }

    /** What the thread repeats. */
    public final class Task {

        private final String name;
        private final Callable<Duration> step;

        /** When the next round begins, and when it begins at the latest if the task may be woken, as values of {@link System#nanoTime}. */
        private long dueAt = System.nanoTime();

        private @Nullable Long wakesAt;
        private boolean woken;
        private volatile int failures;

        /** Whether the log has a line about the failures. */
        private boolean logged;

        private Task(String name, Callable<Duration> step) {
            this.name = name;
            this.step = step;
        }

        private void begin() {
            dueAt = System.nanoTime();
        }

        /** Ends the current pause, or skips the next one. */
        public void wake() {
            lock.lock();
            try {
                woken = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** Ends the current pause, or the next one, after the given time at the latest. */
        public void wakeWithin(Duration delay) {
            lock.lock();
            try {
                long at = System.nanoTime() + delay.toNanos();
                Long earlier = wakesAt;
                if (earlier == null || at - earlier < 0) {
                    wakesAt = at;
                    changed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Returns the time until the next round, which is not positive if that is due. */
        private long left(long now) {
            if (failures > 0) {
                return dueAt - now;
            }
            Long earlier = wakesAt;
            return woken ? 0 : earlier == null ? dueAt - now : Math.min(dueAt - now, earlier - now);
        }

        private void run() {
            lock.lock();
            try {
                woken = false;
                wakesAt = null;
                // Due again if not even its failure can be noted.
                dueAt = System.nanoTime();
            } finally {
                lock.unlock();
            }
            Duration pause = round();
            Duration bounded = failures == 0 || pause.compareTo(LONGEST_BACKOFF) < 0 ? pause : LONGEST_BACKOFF;
            if (isCurrent()) {
                dueAt = System.nanoTime() + bounded.toNanos();
            }
        }

        private Duration round() {
            int outages = outage == null ? 0 : outage.ended();
            try {
                Duration pause = step.call();
                if (failures > 0) {
                    recovered();
                }
                return pause;
            } catch (Throwable ex) {
                return afterFailure(ex, outages);
            }
        }

        private void recovered() {
            if (logged) {
                log.info("{} recovered after {} failures", name, failures);
            }
            logged = false;
            failures = 0;
            if (outage != null) {
                outage.continues(this);
            }
        }

        private Duration afterFailure(Throwable ex, int outages) {
            if (!isCurrent()) {
                log.debug("{} was closed in the middle of a round", name, ex);
                return Duration.ZERO;
            }
            int failed = failures + 1;
            failures = failed;
            boolean waits = outage != null && outage.stops(this, outages, ex);
            if (!waits && !logged) {
                logged = true;
                log.warn("{} failed; retrying with backoff", name, ex);
            } else {
                log.debug("{} failed again ({} rounds)", name, failed, ex);
            }
            return FIRST_BACKOFF.multipliedBy(1L << Math.min(failed - 1, 20));
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    /** Starts the thread unless it runs; waits for a concurrent close. If the thread fails to start, nothing has changed. */
    public void start() {
        lifecycle.lock();
        lock.lock();
        try {
            if (thread == null) {
                Thread started = threads.newThread(this::repeat);
                started.setName(name);
                started.start();
                thread = started;
                closing = false;
                tasks.forEach(Task::begin);
            }
        } finally {
            lock.unlock();
            lifecycle.unlock();
        }
    }

    /** Wakes every task. */
    public void wake() {
        tasks.forEach(Task::wake);
    }

    /** Wakes every task after the given time at the latest. */
    public void wakeWithin(Duration delay) {
        tasks.forEach((task) -> task.wakeWithin(delay));
    }

    public boolean isClosing() {
        return closing;
    }

    /** Returns whether the last round of a task failed. */
    public boolean isFailing() {
        return tasks.stream().anyMatch((task) -> task.failures > 0);
    }

    /** Makes the current round the last one and returns at once; {@link #close(Duration)} must follow. */
    public void stopSoon() {
        closing = true;
        wake();
    }

    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /** Makes the current round the last one and waits for its end, unless the thread itself calls. */
    public boolean endsWithin(Duration patience) {
        stopSoon();
        Thread running = running();
        if (running == null || running == Thread.currentThread()) {
            return running == null;
        }
        try {
            return join(running, patience);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Interrupts a running step, unless the thread itself calls. */
    public void interrupt() {
        Thread running = running();
        if (running != null && running != Thread.currentThread()) {
            running.interrupt();
        }
    }

    /** Interrupts a running step after the given time; returns whether the thread has ended a second later. */
    public boolean close(Duration patience) {
        return close(patience, GRACE_AFTER_INTERRUPT);
    }

    /** Waits for the given grace after the interrupt. */
    public boolean close(Duration patience, Duration grace) {
        if (running() == Thread.currentThread()) {
            beginClosing();
            return false;
        }
        lifecycle.lock();
        try {
            Thread running = beginClosing();
            return running == null || end(running, patience, grace);
        } finally {
            lifecycle.unlock();
        }
    }

    private boolean end(Thread running, Duration patience, Duration grace) {
        try {
            if (!join(running, patience)) {
                running.interrupt();
                if (!join(running, grace)) {
                    log.warn("{} did not end within {} ms; its thread is abandoned", name, patience.toMillis());
                    return false;
                }
            }
            return true;
        } catch (InterruptedException ex) {
            running.interrupt();
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private @Nullable Thread beginClosing() {
        lock.lock();
        try {
            closing = true;
            changed.signalAll();
            Thread running = thread;
            thread = null;
            return running;
        } finally {
            lock.unlock();
        }
    }

    private static boolean join(Thread running, Duration patience) throws InterruptedException {
        long millis = patience.toMillis();
        if (millis > 0) {
            running.join(millis);
        }
        return !running.isAlive();
    }

    private void repeat() {
        try {
            repeatUntilClosed();
        } finally {
            if (outage != null) {
                tasks.forEach(outage::forget);
            }
        }
    }

    private void repeatUntilClosed() {
        while (isCurrent()) {
            try {
                pause();
                for (Task task : tasks) {
                    if (isCurrent() && isDue(task)) {
                        task.run();
                    }
                }
            } catch (InterruptedException ex) {
                // Only close() interrupts on purpose; another interrupt merely ends the pause.
                Thread.interrupted();
                wake();
            } catch (Throwable ex) {
                // Memory was too short to note the failure; waiting needs none.
                LockSupport.parkNanos(FIRST_BACKOFF.toNanos());
            }
        }
    }

    private boolean isDue(Task task) {
        lock.lock();
        try {
            return task.left(System.nanoTime()) <= 0;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a task is due. */
    private void pause() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long nanos = untilDue();
            while (isCurrent() && nanos > 0) {
                changed.awaitNanos(nanos);
                nanos = untilDue();
            }
        } finally {
            lock.unlock();
        }
    }

    private long untilDue() {
        long now = System.nanoTime();
        long least = Long.MAX_VALUE;
        for (Task task : tasks) {
            least = Math.min(least, task.left(now));
        }
        return least;
    }

    private @Nullable Thread running() {
        lock.lock();
        try {
            return thread;
        } finally {
            lock.unlock();
        }
    }

    /** An abandoned thread must not run beside its successor; the lock waits until start() has set the thread. */
    private boolean isCurrent() {
        return running() == Thread.currentThread() && !closing;
    }
}
