package dev.outbox.internal.inspect;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.OutboxOverview.Backlog;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cached backlogs of every stream. A query runs on its own thread, one at a time, so that a hanging database or an exhausted pool delays a
 * reader by at most 1.5 s. A failure is cached like a result. Unknown counts are absent, never zero. Safe for use by many threads.
 */
public final class QueueGauges {

    /** Backlog of a stream without open events. */
    public static final Backlog NO_EVENTS = StatusStore.NO_EVENTS;

    private static final Logger log = LoggerFactory.getLogger(QueueGauges.class);

    private static final Duration LONGEST_WAIT = Duration.ofMillis(1500);

    private final StatusStore store;
    private final Duration maxAge;
    private @Nullable Run last;

    /** Started query with its future result. */
    private record Run(long begunAt, CompletableFuture<Map<String, Backlog>> result) {}

    /** Creates gauges that query when the first reader asks. */
    public QueueGauges(DataSource dataSource, OutboxSchema schema, Duration maxAge) {
        if (maxAge.isNegative()) {
            throw new IllegalArgumentException("maxAge must not be negative: " + maxAge);
        }
        this.store = new StatusStore(dataSource, schema);
        this.maxAge = maxAge;
    }

    /** Returns the backlog of a stream, like {@link #all}. */
    public Optional<Backlog> current(String stream) {
        return all().map((backlogs) -> backlogs.getOrDefault(stream, NO_EVENTS));
    }

    /**
     * Returns the backlog of every stream that has events or a poller, if it is known; waits for a query if it is stale, up to 1.5 s after
     * its start.
     */
    public Optional<Map<String, Backlog>> all() {
        Run run = run();
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

    private synchronized Run run() {
        Run current = last;
        boolean usable = current != null
                && (!current.result().isDone() || System.nanoTime() - current.begunAt() < maxAge.toNanos());
        if (current == null || !usable) {
            current = begin();
            last = current;
        }
        return current;
    }

    private Run begin() {
        Run run = new Run(System.nanoTime(), new CompletableFuture<>());
        try {
            Thread thread = new Thread(() -> complete(run.result()), "outbox-gauges");
            thread.setDaemon(true);
            thread.start();
        } catch (Throwable ex) {
            run.result().completeExceptionally(ex);
        }
        return run;
    }

    private void complete(CompletableFuture<Map<String, Backlog>> result) {
        try {
            result.complete(store.count());
        } catch (Throwable ex) {
            log.debug("Could not count the events", ex);
            result.completeExceptionally(ex);
        }
    }
}
