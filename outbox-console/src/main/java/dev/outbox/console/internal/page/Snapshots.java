package dev.outbox.console.internal.page;

import dev.outbox.console.internal.page.Samples.Sample;
import dev.outbox.operations.FailureGroup;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Untaken;
import dev.outbox.operations.OutboxOverview;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.QueryTimeoutException;

/**
 * State of the outbox, read every 10 s, and at most every 2 s however many operators look, with the figures of the last 10 minutes. One
 * background thread reads, and a request waits for it for 1.5 s at most, so a database that does not answer cannot occupy the threads of the
 * web server. Thread-safe.
 */
final class Snapshots implements AutoCloseable {

    private static final Duration MAX_AGE = Duration.ofMillis(1900);
    private static final Duration RECORDED_EACH = Duration.ofSeconds(10);
    private static final Duration KEPT = Duration.ofMinutes(10);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(1500);

    private final OutboxInspector inspector;
    private final OutboxOperations operations;
    private final Clock clock;
    private final ScheduledThreadPoolExecutor executor = executor();
    private final Deque<Sample> samples = new ArrayDeque<>();
    private final Set<String> colors = new LinkedHashSet<>();

    private @Nullable Query latest;

    Snapshots(OutboxInspector inspector, OutboxOperations operations, Clock clock) {
        this.inspector = inspector;
        this.operations = operations;
        this.clock = clock;
    }

    /** State at one moment. */
    record Snapshot(
            Instant at,
            OutboxOverview overview,
            List<FailureGroup> failures,
            List<Untaken> untaken,
            List<Operation> pauses) {}

    /** Query that several requests wait for, and its end. */
    private record Query(CompletableFuture<Instant> end, CompletableFuture<Snapshot> result) {}

    /** Runs one query at a time. */
    private static ScheduledThreadPoolExecutor executor() {
        return new ScheduledThreadPoolExecutor(1, (task) -> {
            Thread thread = new Thread(task, "outbox-console");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Begins to record figures also while no operator looks. */
    void start() {
        ScheduledFuture<?> unused = executor.scheduleWithFixedDelay(
                this::query, RECORDED_EACH.toSeconds(), RECORDED_EACH.toSeconds(), TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }

    /**
     * Returns the state, at most 2 s old.
     *
     * @throws org.springframework.dao.DataAccessException if the last query failed, which is remembered for 2 s, or takes longer than 1.5 s
     */
    Snapshot latest() {
        try {
            return query().result().get(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new QueryTimeoutException("The state of the outbox was not read in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new QueryTimeoutException("The thread was interrupted while the state of the outbox was read", e);
        }
    }

    /** Makes the next page read the state again, after a query that runs, because an operator has changed it. */
    synchronized void expire() {
        latest = null;
    }

    /** Returns the lines of the last 10 minutes. A stream keeps its color. */
    Samples samples() {
        latest();
        synchronized (samples) {
            return Samples.of(List.copyOf(samples), List.copyOf(colors));
        }
    }

    /** Returns the query that runs, or whose result is fresh, or else begins one. */
    private synchronized Query query() {
        Query known = latest;
        if (known != null && (!known.end().isDone() || isFresh(known))) {
            return known;
        }
        CompletableFuture<Snapshot> read = CompletableFuture.supplyAsync(this::read, executor);
        CompletableFuture<Instant> end = read.handle((snapshot, failure) -> clock.instant());
        Query query = new Query(end, end.thenCompose((at) -> read));
        latest = query;
        return query;
    }

    private boolean isFresh(Query query) {
        return clock.instant().isBefore(query.end().join().plus(MAX_AGE));
    }

    private Snapshot read() {
        OutboxOverview overview = inspector.overview();
        Snapshot snapshot =
                new Snapshot(clock.instant(), overview, inspector.failures(), operations.untaken(), pauses(overview));
        keep(Sample.of(snapshot.at(), overview));
        return snapshot;
    }

    private List<Operation> pauses(OutboxOverview overview) {
        boolean paused = overview.streams().stream().anyMatch(OutboxOverview.Stream::paused)
                || overview.handlers().stream().anyMatch(OutboxOverview.Handler::paused);
        return paused ? inspector.pauses() : List.of();
    }

    /** Keeps a sample, unless one of the last 2 s is kept. */
    private void keep(Sample sample) {
        synchronized (samples) {
            colors.addAll(sample.streams().keySet());
            Sample last = samples.peekLast();
            if (last == null || !sample.at().isBefore(last.at().plus(MAX_AGE))) {
                samples.addLast(sample);
            }
            while (samples.getFirst().at().isBefore(sample.at().minus(KEPT))) {
                samples.removeFirst();
            }
        }
    }
}
