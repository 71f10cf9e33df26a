package dev.outbox.internal.background;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.QueryTimeoutException;

/**
 * Daemon threads that run queries, so that a hanging database or an exhausted pool delays a caller by at most 1.5 s. They end when they have
 * been idle for ten seconds. Safe for use by many threads.
 */
public final class BackgroundQueries implements AutoCloseable {

    private static final Duration LONGEST_WAIT = Duration.ofMillis(1500);
    private static final int MOST_WAITING = 100;
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor executor;
    private final LongSupplier nanos;

    /** Creates so many threads when queries need them. */
    public BackgroundQueries(String name, int threads, LongSupplier nanos) {
        this.executor = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_WAITING), (work) -> {
                    Thread thread = new Thread(work, name);
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        this.nanos = nanos;
    }

    /** Interrupts the queries. Later ones fail. */
    @Override
    public void close() {
        executor.shutdownNow();
    }

    /** Returns the result of a query of this caller alone, or throws its failure. After 1.5 s, cancels it and throws {@link QueryTimeoutException}. */
    public <T extends @Nullable Object> T ask(Callable<T> query) {
        Query<T> asked = begin(query);
        try {
            return asked.await();
        } finally {
            asked.cancel(true);
        }
    }

    /** Returns a query that all callers share. Its result, or failure, is kept for the given time. */
    public <T> Cached<T> cached(Callable<T> query, Duration maxAge) {
        return new Cached<>(query, maxAge);
    }

    private <T extends @Nullable Object> Query<T> begin(Callable<T> work) {
        Query<T> query = new Query<>(work);
        try {
            executor.execute(query);
        } catch (RuntimeException | Error ex) {
            query.setException(new QueryTimeoutException(
                    "the query did not begin: earlier ones have not ended, or the application stops", ex));
        }
        return query;
    }

    /** Query that runs once at a time, however many callers wait for it. */
    public final class Cached<T> {

        private final Callable<T> work;
        private final Duration maxAge;
        private @Nullable Query<T> latest;

        private Cached(Callable<T> work, Duration maxAge) {
            this.work = work;
            this.maxAge = maxAge;
        }

        /** Returns the result, or throws the failure; begins a query if the last is too old. A query that runs is awaited up to 1.5 s after its start. */
        public T get() {
            return current().await();
        }

        /** Begins a query, as {@link #get} does, but does not wait for it. */
        public void refresh() {
            Query<T> unused = current();
        }

        /** Makes the next caller begin a query, which follows one that runs. */
        public synchronized void expire() {
            latest = null;
        }

        private synchronized Query<T> current() {
            Query<T> known = latest;
            if (known == null || known.isOlderThan(maxAge)) {
                known = begin(work);
                latest = known;
            }
            return known;
        }
    }

    /** Query that has begun, or waits for a thread. */
    private final class Query<T extends @Nullable Object> extends FutureTask<T> {

        private final long begunAt = nanos.getAsLong();
        private volatile long endedAt;

        Query(Callable<T> work) {
            super(work);
        }

        @Override
        protected void set(T result) {
            endedAt = nanos.getAsLong();
            super.set(result);
        }

        @Override
        protected void setException(Throwable failure) {
            endedAt = nanos.getAsLong();
            super.setException(failure);
        }

        /** Counts from the end, so that the result of a slow query is not too old when it arrives. */
        boolean isOlderThan(Duration age) {
            return isDone() && nanos.getAsLong() - endedAt >= age.toNanos();
        }

        T await() {
            try {
                return get(begunAt + LONGEST_WAIT.toNanos() - nanos.getAsLong(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException ex) {
                throw ex.getCause() instanceof RuntimeException failure
                        ? failure
                        : new IllegalStateException(ex.getCause());
            } catch (TimeoutException ex) {
                throw new QueryTimeoutException(
                        "the database did not answer within " + LONGEST_WAIT.toMillis() + " ms", ex);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
                throw new QueryTimeoutException("the thread was interrupted while it waited for the database", ex);
            }
        }
    }
}
