package dev.outbox.spring.autoconfigure.endpoint;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.QueryTimeoutException;

/** Reads on a few threads of its own, so that a database that does not answer cannot occupy those of the web server. */
final class TimeLimit implements AutoCloseable {

    private static final Duration LONGEST_WAIT = Duration.ofMillis(1500);
    private static final int THREADS = 4;
    private static final int MOST_WAITING = 100;

    private final ThreadPoolExecutor executor;

    TimeLimit() {
        this.executor = new ThreadPoolExecutor(
                THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_WAITING), (work) -> {
                    Thread thread = new Thread(work, "outbox-endpoint");
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
    }

    /** Ends the threads; what waits is cancelled. */
    @Override
    public void close() {
        executor.shutdownNow();
    }

    /** Returns the result, or throws what the work throws, and a {@link QueryTimeoutException} after 1.5 s. */
    @Nullable
    Object within(Supplier<@Nullable Object> work) {
        Future<@Nullable Object> result;
        try {
            result = executor.submit(work::get);
        } catch (RejectedExecutionException ex) {
            throw new QueryTimeoutException(
                    "the database has not answered earlier requests, or the application stops", ex);
        }
        try {
            return result.get(LONGEST_WAIT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException ex) {
            throw new QueryTimeoutException(
                    "the database did not answer within " + LONGEST_WAIT.toMillis()
                            + " ms; if it is healthy, add a filter",
                    ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new QueryTimeoutException("the request was interrupted", ex);
        } catch (ExecutionException ex) {
            throw ex.getCause() instanceof RuntimeException failure
                    ? failure
                    : new IllegalStateException(ex.getCause());
        } finally {
            result.cancel(true);
        }
    }
}
