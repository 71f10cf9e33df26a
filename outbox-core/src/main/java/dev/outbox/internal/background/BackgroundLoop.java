package dev.outbox.internal.background;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that repeats a step, rests as long as the step says, and may be woken early.
 *
 * <p>A step that throws does not end the thread: it is logged when the trouble begins and when it is over, and repeated after
 * a rest that doubles from 100 ms up to 2 s, which no wake-up shortens. May be started again after it was closed.
 */
public final class BackgroundLoop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(BackgroundLoop.class);

    private static final Duration FIRST_REST_IN_TROUBLE = Duration.ofMillis(100);
    private static final Duration LONGEST_REST_IN_TROUBLE = Duration.ofSeconds(2);
    private static final Duration GRACE_AFTER_INTERRUPT = Duration.ofSeconds(1);

    private final String name;
    private final Step step;
    private final ThreadFactory threads;
    private final ReentrantLock lifecycle = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    private @Nullable Thread thread;
    private boolean woken;
    private volatile boolean closing;
    private int failures;

    /** One round of a duty. */
    @FunctionalInterface
    public interface Step {

        /** Runs one round. */
        Duration run() throws Exception;
    }

    /** Creates a duty that has not started, whose thread does not keep the process alive. */
    public BackgroundLoop(String name, Step step) {
        this(name, step, BackgroundLoop::daemon);
    }

    /** Creates a duty that has not started. */
    public BackgroundLoop(String name, Step step, ThreadFactory threads) {
        this.name = name;
        this.step = step;
        this.threads = threads;
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Starts the thread. Does nothing if it runs; waits for a {@link #close} that is under way. Where the thread fails to start, that is
     * thrown, and nothing has changed.
     */
    public void start() {
        lifecycle.lock();
        try {
            lock.lock();
            try {
                if (thread == null) {
                    Thread started = threads.newThread(this::repeat);
                    started.setName(name);
                    started.start();
                    thread = started;
                    closing = false;
                }
            } finally {
                lock.unlock();
            }
        } finally {
            lifecycle.unlock();
        }
    }

    /** Ends the current rest, or skips the next one. */
    public void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Says whether the step should come to an end. */
    public boolean isClosing() {
        return closing;
    }

    /** Lets the current round be the last; returns at once. To be followed by {@link #close(Duration)}. */
    public void stopSoon() {
        closing = true;
        wake();
    }

    /** Closes without patience for a running step. */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /** Lets the current round be the last, and waits for its end. Does not wait if called by the thread itself. */
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

    /** Interrupts a running step. Does nothing if called by the thread itself. */
    public void interrupt() {
        Thread running = running();
        if (running != null && running != Thread.currentThread()) {
            running.interrupt();
        }
    }

    /**
     * Ends the thread: lets a running step finish for as long as the patience lasts, then interrupts it. Returns when the
     * thread has ended, or, with a warning, when it ignored the interrupt for a second.
     */
    public boolean close(Duration patience) {
        return close(patience, GRACE_AFTER_INTERRUPT);
    }

    /** Ends the thread like {@link #close(Duration)}. */
    public boolean close(Duration patience, Duration grace) {
        if (isOwnThread()) {
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
                    log.warn("{} did not end within {} ms; it is left to itself", name, patience.toMillis());
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
        while (isCurrent()) {
            try {
                rest(runOnce());
            } catch (InterruptedException ex) {
                // Only a closing duty is interrupted on purpose; anyone else's interrupt merely ends the rest.
                Thread.interrupted();
            } catch (Throwable ex) {
                // Not even the failure could be noted: memory is short. The thread outlives that, and needs none to
                // wait.
                LockSupport.parkNanos(FIRST_REST_IN_TROUBLE.toNanos());
            }
        }
    }

    private Duration runOnce() {
        try {
            Duration rest = step.run();
            if (failures > 0) {
                log.info("{} works again after {} failed rounds", name, failures);
                failures = 0;
            }
            return rest;
        } catch (Throwable ex) {
            return afterFailure(ex);
        }
    }

    private Duration afterFailure(Throwable ex) {
        if (!isCurrent()) {
            log.debug("{} was closed in the middle of a round", name, ex);
            return Duration.ZERO;
        }
        failures++;
        if (failures == 1) {
            log.warn("{} failed; it goes on trying", name, ex);
        } else {
            log.debug("{} failed again ({} rounds)", name, failures, ex);
        }
        return FIRST_REST_IN_TROUBLE.multipliedBy(1L << Math.min(failures - 1, 20));
    }

    private void rest(Duration rest) throws InterruptedException {
        boolean mayBeWoken = failures == 0;
        Duration bounded = mayBeWoken || rest.compareTo(LONGEST_REST_IN_TROUBLE) < 0 ? rest : LONGEST_REST_IN_TROUBLE;
        lock.lockInterruptibly();
        try {
            long nanos = bounded.toNanos();
            while (isCurrent() && nanos > 0 && !(woken && mayBeWoken)) {
                nanos = changed.awaitNanos(nanos);
            }
            woken = false;
        } finally {
            lock.unlock();
        }
    }

    private boolean isOwnThread() {
        return running() == Thread.currentThread();
    }

    private @Nullable Thread running() {
        lock.lock();
        try {
            return thread;
        } finally {
            lock.unlock();
        }
    }

    /** A thread that was left to itself must not go on beside its successor. Asked first, the lock waits for the start to be through. */
    private boolean isCurrent() {
        return isOwnThread() && !closing;
    }
}
