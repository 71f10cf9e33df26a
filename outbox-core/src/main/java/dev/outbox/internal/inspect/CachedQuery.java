package dev.outbox.internal.inspect;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cached result of a query that runs on its own thread, one at a time, so that a hanging database or an exhausted pool delays a reader by
 * at most 1.5 s. A failure is cached like a result. Safe for use by many threads.
 */
final class CachedQuery<T> {

    private static final Logger log = LoggerFactory.getLogger(CachedQuery.class);

    private static final Duration LONGEST_WAIT = Duration.ofMillis(1500);

    private final String threadName;
    private final Callable<T> query;
    private final Duration maxAge;
    private @Nullable Run<T> last;

    /** Started query with its future result. */
    private record Run<T>(long begunAt, CompletableFuture<T> result) {}

    /** Creates a cache that queries when the first reader asks. */
    public CachedQuery(String threadName, Callable<T> query, Duration maxAge) {
        if (maxAge.isNegative()) {
            throw new IllegalArgumentException("maxAge must not be negative: " + maxAge);
        }
        this.threadName = threadName;
        this.query = query;
        this.maxAge = maxAge;
    }

    /** Returns the result if it is known; waits for the query if it is stale, up to 1.5 s after its start. */
    public Optional<T> current() {
        Run<T> run = run();
        long remaining = LONGEST_WAIT.toNanos() - (System.nanoTime() - run.begunAt());
        try {
            return Optional.of(run.result().get(Math.max(0, remaining), TimeUnit.NANOSECONDS));
        } catch (ExecutionException | TimeoutException ex) {
            return Optional.empty();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private synchronized Run<T> run() {
        Run<T> current = last;
        boolean usable = current != null
                && (!current.result().isDone() || System.nanoTime() - current.begunAt() < maxAge.toNanos());
        if (current == null || !usable) {
            current = begin();
            last = current;
        }
        return current;
    }

    private Run<T> begin() {
        Run<T> run = new Run<>(System.nanoTime(), new CompletableFuture<>());
        try {
            Thread thread = new Thread(() -> complete(run.result()), threadName);
            thread.setDaemon(true);
            thread.start();
        } catch (Throwable ex) {
            run.result().completeExceptionally(ex);
        }
        return run;
    }

    private void complete(CompletableFuture<T> result) {
        try {
            result.complete(query.call());
        } catch (Throwable ex) {
            log.debug("{} failed", threadName, ex);
            result.completeExceptionally(ex);
        }
    }
}
