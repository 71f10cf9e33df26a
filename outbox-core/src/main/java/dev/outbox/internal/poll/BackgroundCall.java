package dev.outbox.internal.poll;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one call at a time on a daemon thread, which ends when it has been idle for ten seconds. A call that does not return is abandoned: the
 * next one has another thread.
 */
final class BackgroundCall<T> {

    private static final Logger log = LoggerFactory.getLogger(BackgroundCall.class);

    private static final long IDLE_SECONDS = 10;
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    private final String name;
    private final Consumer<T> late;
    private ThreadPoolExecutor executor;
    private @Nullable FutureTask<T> pending;
    private boolean refused;

    /** With what becomes of the result of an abandoned call, on its own thread. */
    BackgroundCall(String name, Consumer<T> late) {
        this.name = name;
        this.late = late;
        this.executor = executor(name);
    }

    private static ThreadPoolExecutor executor(String name) {
        // A core thread starts before its work is queued: rejected work must not run later.
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), (work) -> {
                    Thread thread = new Thread(work, name);
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** Call that can be cancelled until it has a result. */
    private final class Call extends FutureTask<T> {

        Call(Callable<T> work) {
            super(work);
        }

        @Override
        protected void set(T result) {
            super.set(result);
            if (isCancelled()) {
                late.accept(result);
            }
        }
    }

    /** Starts the call; returns {@code false} if no thread could be started. A call that is refused never runs, even if it is queued. */
    boolean begin(Callable<T> work) {
        FutureTask<T> task = new Call(work);
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
        FutureTask<T> task = pending;
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

    /** Gives up a call that has no result yet; returns whether it has none. */
    boolean abandon() {
        FutureTask<T> task = pending;
        if (task == null || !task.cancel(false)) {
            return false;
        }
        pending = null;
        executor.shutdownNow();
        executor = executor(name);
        return true;
    }

    /** Waits for the result, because what the call has written must be known. Once the condition holds, abandons the call and returns empty. */
    Optional<T> result(BooleanSupplier isOverdue) throws SQLException {
        FutureTask<T> task = pending;
        if (task == null) {
            throw new IllegalStateException("nothing was begun");
        }
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return Optional.of(task.get(BETWEEN_LOOKS.toNanos(), TimeUnit.NANOSECONDS));
                } catch (InterruptedException ex) {
                    interrupted = true;
                } catch (TimeoutException ex) {
                    if (isOverdue.getAsBoolean() && abandon()) {
                        return Optional.empty();
                    }
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
            pending = null;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
