package dev.outbox.internal.metrics;

import dev.outbox.internal.store.StatusStore;
import dev.outbox.internal.store.StatusStore.Counts;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cached counts of every stream. One query at a time runs on its own thread, so that a hanging database or an exhausted pool delays a
 * reader by at most 1.5 s. Safe for use by many threads.
 */
public final class QueueGauges {

    private static final Logger log = LoggerFactory.getLogger(QueueGauges.class);

    private static final Duration LONGEST_WAIT = Duration.ofMillis(1500);

    private final StatusStore store;
    private final Duration maxAge;
    private @Nullable Query last;

    /** Started query with its future result. */
    private record Query(long begunAt, CompletableFuture<Map<String, Counts>> counts) {}

    /** Creates gauges that query when the first reader asks. */
    public QueueGauges(StatusStore store, Duration maxAge) {
        if (maxAge.isNegative()) {
            throw new IllegalArgumentException("maxAge must not be negative: " + maxAge);
        }
        this.store = store;
        this.maxAge = maxAge;
    }

    /** Returns the counts of a stream, zeros if they are unknown. */
    public Counts of(String stream) {
        return current(stream).orElse(Counts.NONE);
    }

    /** Returns the counts of a stream if they are known; waits for a query if they are stale, up to 1.5 s after its start. */
    public Optional<Counts> current(String stream) {
        Query query = query();
        long remaining = LONGEST_WAIT.toNanos() - (System.nanoTime() - query.begunAt());
        try {
            Map<String, Counts> counts = query.counts().get(Math.max(0, remaining), TimeUnit.NANOSECONDS);
            return Optional.of(counts.getOrDefault(stream, Counts.NONE));
        } catch (ExecutionException | TimeoutException ex) {
            return Optional.empty();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private synchronized Query query() {
        Query current = last;
        boolean usable = current != null
                && (!current.counts().isDone() || System.nanoTime() - current.begunAt() < maxAge.toNanos());
        if (current == null || !usable) {
            current = begin();
            last = current;
        }
        return current;
    }

    private Query begin() {
        Query query = new Query(System.nanoTime(), new CompletableFuture<>());
        try {
            Thread thread = new Thread(() -> run(query.counts()), "outbox-gauges");
            thread.setDaemon(true);
            thread.start();
        } catch (Throwable ex) {
            query.counts().completeExceptionally(ex);
        }
        return query;
    }

    private void run(CompletableFuture<Map<String, Counts>> counts) {
        try {
            counts.complete(store.count());
        } catch (Throwable ex) {
            log.debug("Could not count the events", ex);
            counts.completeExceptionally(ex);
        }
    }
}
