package dev.outbox.poll;

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

/**
 * Runs one statement at a time beside the thread that uses this, on a daemon thread that ends when nothing has come for a while.
 *
 * @param <T> what it returns
 */
final class Ahead<T> {

    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor executor;
    private @Nullable Future<T> underWay;

    Ahead(String name) {
        this.executor =
                new ThreadPoolExecutor(0, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), (work) -> {
                    Thread thread = new Thread(work, name);
                    thread.setDaemon(true);
                    return thread;
                });
    }

    void begin(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        underWay = task;
        executor.execute(task);
    }

    /** Waits for what was begun last, for so long and no longer; says whether it has ended. */
    boolean endsWithin(Duration atMost) {
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
    T result() throws SQLException {
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
