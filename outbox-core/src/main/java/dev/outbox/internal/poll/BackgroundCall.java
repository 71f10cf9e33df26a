package dev.outbox.internal.poll;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one call at a time on a daemon thread, which ends when it has been idle for ten seconds. */
final class BackgroundCall<T> {

    private static final Logger log = LoggerFactory.getLogger(BackgroundCall.class);

    private static final long IDLE_SECONDS = 10;

    private final String name;
    private final ThreadPoolExecutor executor;
    private @Nullable Future<T> pending;
    private boolean refused;

    BackgroundCall(String name) {
        this.name = name;
        // A core thread starts before its work is queued: rejected work must not run later.
        this.executor =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), (work) -> {
                    Thread thread = new Thread(work, name);
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
    }

    /** Starts the call; returns {@code false} if no thread could be started. A call that is refused never runs, even if it is queued. */
    boolean begin(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        try {
            executor.execute(task);
        } catch (RuntimeException | Error ex) {
            if (!task.cancel(false)) {
                pending = task;
                return true;
            }
            if (!refused) {
                log.warn("{} could not start its thread; the poller does the work itself until it can", name, ex);
            }
            refused = true;
            return false;
        }
        refused = false;
        pending = task;
        return true;
    }

    /** Waits for the call, at most for the given time; returns whether it has ended. */
    boolean endsWithin(Duration atMost) {
        Future<T> task = pending;
        if (task == null) {
            return true;
        }
        try {
            task.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException ex) {
            return true;
        } catch (TimeoutException ex) {
            return false;
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        return task.isDone();
    }

    /** Waits for the result, however long it takes: what the call has written must be known. */
    T result() throws SQLException {
        Future<T> task = pending;
        if (task == null) {
            throw new IllegalStateException("nothing was begun");
        }
        pending = null;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException ex) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException ex) {
            Throwable cause = ex.getCause();
            if (cause instanceof SQLException sql) {
                throw sql;
            }
            if (cause instanceof RuntimeException runtime) {
                throw runtime;
            }
            throw new IllegalStateException(cause);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
