package dev.outbox.internal.gauges;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.time.Duration;
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
 * Cached state of the queues. A query runs on its own thread, one at a time, so that a hanging database or an exhausted pool delays a
 * reader by at most 1.5 s. A failure is cached like a result. Unknown counts are absent, never zero. Safe for use by many threads.
 */
public final class QueueGauges {

    private static final Logger log = LoggerFactory.getLogger(QueueGauges.class);

    private static final Duration LONGEST_WAIT = Duration.ofMillis(1500);

    /** No statement may hold a connection of a small pool for long. */
    private static final String LIMITS = Pipeline.INSPECT.replace("5s", "1s");

    private final QueueStateStore store;
    private final Duration maxAge;
    private @Nullable Run last;

    /** Started query with its future result. */
    private record Run(long begunAt, CompletableFuture<QueueState> result) {}

    /** Creates gauges that query when the first reader asks. */
    public QueueGauges(DataSource dataSource, OutboxSchema schema, Duration maxAge) {
        if (maxAge.isNegative()) {
            throw new IllegalArgumentException("maxAge must not be negative: " + maxAge);
        }
        this.store = new QueueStateStore(dataSource, schema, LIMITS);
        this.maxAge = maxAge;
    }

    /** Returns the events of a stream, as {@link #all} does. */
    public Optional<QueueState.Stream> stream(String name) {
        return all().map((state) -> state.stream(name));
    }

    /** Returns the deliveries of a registered handler, as {@link #all} does. */
    public Optional<QueueState.Handler> handler(String id) {
        return all().map((state) -> state.handlers().get(id));
    }

    /** Returns the state, if it is known; waits for a query if it is stale, up to 1.5 s after its start. */
    public Optional<QueueState> all() {
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

    private void complete(CompletableFuture<QueueState> result) {
        try {
            result.complete(store.read());
        } catch (Throwable ex) {
            log.debug("Could not count what waits", ex);
            result.completeExceptionally(ex);
        }
    }
}
