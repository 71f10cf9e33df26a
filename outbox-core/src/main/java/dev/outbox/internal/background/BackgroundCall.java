package dev.outbox.internal.background;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one statement at a time beside the thread that uses this, on a daemon thread that ends when nothing has come for a while. Where
 * that thread fails to start, its user has to do without.
 */
public final class BackgroundCall<T> {

    private static final Logger log = LoggerFactory.getLogger(BackgroundCall.class);

    private static final long IDLE_SECONDS = 10;

    private final String name;
    private final ThreadPoolExecutor executor;
    private @Nullable Future<T> underWay;
    private boolean refused;

    public BackgroundCall(String name) {
        this.name = name;
        // A core thread is started before its work is queued: what could not be handed over must not run later.
        this.executor =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), (work) -> {
                    Thread thread = new Thread(work, name);
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
    }

    /** Returns whether a thread runs the work; {@code false} if none could be started. */
    public boolean begin(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        try {
            executor.execute(task);
        } catch (RejectedExecutionException | OutOfMemoryError ex) {
            if (!refused) {
                log.warn("{} could not start its thread; the poller does its work until it can", name, ex);
            }
            refused = true;
            return false;
        }
        refused = false;
        underWay = task;
        return true;
    }

    /** Waits for what was begun last, for so long and no longer; says whether it has ended. */
    public boolean endsWithin(Duration atMost) {
        Future<T> task = underWay;
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

    /** Waits for what was begun last, however long the statement takes: what it has written is not to be guessed. */
    public T result() throws SQLException {
        Future<T> task = underWay;
        if (task == null) {
            throw new IllegalStateException("nothing was begun");
        }
        underWay = null;
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
