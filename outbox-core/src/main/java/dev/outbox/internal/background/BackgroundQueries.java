package dev.outbox.internal.background;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.QueryTimeoutException;

/**
 * Daemon threads that run queries, so that a hanging database or an exhausted pool delays a caller by at most 1.7 s. They end when they have
 * been idle for ten seconds. Safe for use by many threads.
 */
public final class BackgroundQueries implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(BackgroundQueries.class);

    /** The rest of 2 s is for the answer. Two round trips of 0.8 s fit: a pool asks first whether an idle connection is alive. */
    static final Duration LONGEST_WAIT = Duration.ofMillis(1700);

    /** Two questions to the database of 0.5 s, and the time between them, fit in the longest wait. */
    private static final Duration BETWEEN_QUESTIONS = Duration.ofMillis(700);

    /** Limit of the request that a thread answers. */
    static final ThreadLocal<@Nullable Limit> REQUEST = new ThreadLocal<>();

    private static final int MOST_WAITING = 100;
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor executor;
    private final LongSupplier nanos;

    /** When the queries of a request end, or only the wait for a command, as a value of {@link System#nanoTime}. */
    record Limit(long at, Kind kind) {

        enum Kind {
            READ,
            COMMAND,
            /** Has no limit while the database answers fast. */
            FAST_COMMAND
        }

        static long left() {
            Limit limit = REQUEST.get();
            return limit == null || limit.kind == Kind.FAST_COMMAND ? Long.MAX_VALUE : limit.at - System.nanoTime();
        }
    }

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

    /** Returns the result of a query of this caller alone, or throws its failure. After 1.7 s, cancels it and throws {@link QueryTimeoutException}. */
    public <T extends @Nullable Object> T ask(Callable<T> query) {
        Query<T> asked = begin(query);
        try {
            return asked.await();
        } finally {
            asked.cancel(true);
        }
    }

    /**
     * Returns the result of a command, or throws its failure. Waits while the condition holds, which is asked now and then. After that, a
     * command that has begun continues, and its failure is logged.
     */
    <T extends @Nullable Object> T perform(Callable<T> command, BooleanSupplier waits) {
        Query<T> performed = begin(command);
        while (true) {
            try {
                return performed.await(Math.min(BETWEEN_QUESTIONS.toNanos(), Limit.left()));
            } catch (QueryTimeoutException ex) {
                if (performed.isDone() || !waits.getAsBoolean()) {
                    if (performed.leave()) {
                        throw new QueryTimeoutException(
                                "the database is slow, or does not answer: the command may go on, so look for it in the operation log"
                                        + " before you repeat it",
                                ex);
                    }
                    return performed.await();
                }
            }
        }
    }

    /** Returns a query that all callers share. Its result, or failure, is kept for the given time. */
    public <T> Cached<T> cached(Callable<T> query, Duration maxAge) {
        return new Cached<>(query, maxAge);
    }

    private static QueryTimeoutException late(@Nullable TimeoutException ex) {
        return new QueryTimeoutException("the database did not answer within " + LONGEST_WAIT.toMillis() + " ms", ex);
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

    /**
     * Last result of a query.
     *
     * @param age the time since its query ended
     * @param trouble why there is no newer result, or the lateness of this one; {@code null} if the database answers in time
     */
    public record Known<T>(T value, Duration age, @Nullable RuntimeException trouble) {}

    /** Query that runs once at a time, however many callers wait for it. */
    public final class Cached<T> {

        private final Callable<T> work;
        private final Duration maxAge;
        private @Nullable Query<T> latest;

        /** The last one with a result before the latest. */
        private @Nullable Query<T> answered;

        private Cached(Callable<T> work, Duration maxAge) {
            this.work = work;
            this.maxAge = maxAge;
        }

        /** Returns the result, or throws the failure; begins a query if the last is too old. A query that runs is awaited up to 1.7 s after its start. */
        public T get() {
            return current().await();
        }

        /** Returns the result, as {@link #get} does, or the last one instead of a failure. */
        public Known<T> latest() {
            Query<T> current = current();
            try {
                return current.known(current.await(), current.isLate() ? late(null) : null);
            } catch (RuntimeException ex) {
                Query<T> last = answered();
                if (last == null) {
                    throw ex;
                }
                return last.known(last.await(), ex);
            }
        }

        /** Begins a query, as {@link #get} does, but does not wait for it. */
        public void refresh() {
            Query<T> unused = current();
        }

        /** Makes the next caller begin a query, which follows one that runs. */
        public synchronized void expire() {
            keepResult();
            latest = null;
        }

        private synchronized @Nullable Query<T> answered() {
            return answered;
        }

        private void keepResult() {
            Query<T> known = latest;
            if (known != null && known.hasResult) {
                answered = known;
            }
        }

        private synchronized Query<T> current() {
            Query<T> known = latest;
            if (known == null || known.isOlderThan(maxAge)) {
                keepResult();
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
        private volatile boolean hasResult;
        private volatile boolean left;

        Query(Callable<T> work) {
            super(work);
        }

        @Override
        protected void set(T result) {
            endedAt = nanos.getAsLong();
            hasResult = true;
            super.set(result);
        }

        @Override
        protected void setException(Throwable failure) {
            endedAt = nanos.getAsLong();
            if (left) {
                log.warn("A command of an operator failed after its request was answered", failure);
            }
            super.setException(failure);
        }

        /** Lets a query go on that no caller awaits, unless it waits for a thread. Returns false if it has ended. */
        boolean leave() {
            left = true;
            return cancel(false);
        }

        boolean isLate() {
            return endedAt - begunAt > LONGEST_WAIT.toNanos();
        }

        Known<T> known(T result, @Nullable RuntimeException trouble) {
            return new Known<>(result, Duration.ofNanos(nanos.getAsLong() - endedAt), trouble);
        }

        /** Counts from the end, so that the result of a slow query is not too old when it arrives. */
        boolean isOlderThan(Duration age) {
            return isDone() && nanos.getAsLong() - endedAt >= age.toNanos();
        }

        T await() {
            return await(Math.min(begunAt + LONGEST_WAIT.toNanos() - nanos.getAsLong(), Limit.left()));
        }

        T await(long wait) {
            try {
                return get(wait, TimeUnit.NANOSECONDS);
            } catch (ExecutionException ex) {
                throw ex.getCause() instanceof RuntimeException failure
                        ? failure
                        : new IllegalStateException(ex.getCause());
            } catch (TimeoutException ex) {
                throw late(ex);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
                throw new QueryTimeoutException("the thread was interrupted while it waited for the database", ex);
            }
        }
    }
}
