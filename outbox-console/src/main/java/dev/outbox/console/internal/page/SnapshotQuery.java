package dev.outbox.console.internal.page;

import dev.outbox.console.internal.page.Snapshots.Snapshot;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.springframework.dao.QueryTimeoutException;

/** Query of the state that several requests wait for. */
final class SnapshotQuery {

    private final int changes;
    private final CompletableFuture<Snapshot> result = new CompletableFuture<>();

    private volatile Instant endedAt = Instant.MIN;

    SnapshotQuery(int changes) {
        this.changes = changes;
    }

    /** The number of changes by operators that the query certainly sees. */
    int changes() {
        return changes;
    }

    boolean isRunning() {
        return !result.isDone();
    }

    Instant endedAt() {
        return endedAt;
    }

    void run(Supplier<Snapshot> state, Clock clock) {
        try {
            Snapshot snapshot = state.get();
            endedAt = clock.instant();
            result.complete(snapshot);
        } catch (RuntimeException | Error e) {
            endedAt = clock.instant();
            result.completeExceptionally(e);
        }
    }

    /** Waits for the result until a time of {@link System#nanoTime}. */
    Snapshot result(long deadline) {
        try {
            return result.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new QueryTimeoutException("The state of the outbox was not read in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new QueryTimeoutException("The thread was interrupted while the state of the outbox was read", e);
        }
    }
}
