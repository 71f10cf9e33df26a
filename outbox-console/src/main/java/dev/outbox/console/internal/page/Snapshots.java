package dev.outbox.console.internal.page;

import dev.outbox.console.internal.page.Samples.Sample;
import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.background.BackgroundQueries;
import dev.outbox.internal.background.BackgroundQueries.Known;
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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * State of the outbox, read every 10 s, and at most every 2 s however many operators look, with the figures of the last 10 minutes. A
 * database that does not answer cannot occupy the threads of the web server. Thread-safe.
 */
final class Snapshots implements AutoCloseable {

    private static final Duration MAX_AGE = Duration.ofMillis(1900);
    private static final Duration RECORDED_EACH = Duration.ofSeconds(10);
    private static final Duration KEPT = Duration.ofMinutes(10);

    private final OutboxInspector inspector;
    private final OutboxOperations operations;
    private final Clock clock;
    private final BackgroundQueries queries;
    private final BackgroundQueries.Cached<Snapshot> state;
    private final BackgroundLoop recorder = new BackgroundLoop("outbox-console-recorder", this::record);

    /** Used by the query alone. */
    private final Deque<Sample> samples = new ArrayDeque<>();

    private final Set<String> colors = new LinkedHashSet<>();

    Snapshots(OutboxInspector inspector, OutboxOperations operations, Clock clock, LongSupplier nanos) {
        this.inspector = inspector;
        this.operations = operations;
        this.clock = clock;
        this.queries = new BackgroundQueries("outbox-console", 1, nanos);
        this.state = queries.cached(this::read, MAX_AGE);
    }

    /** State at one moment, and the lines that lead to it. */
    record Snapshot(
            Instant at,
            OutboxOverview overview,
            List<FailureGroup> failures,
            List<Untaken> untaken,
            List<Operation> pauses,
            Samples samples) {}

    /** Last state that was read, and when if there is no newer one because the database is slow or does not answer. */
    record Latest(Snapshot snapshot, @Nullable Instant asOf) {}

    /** Begins to record figures also while no operator looks. */
    void start() {
        recorder.start();
    }

    @Override
    public void close() {
        recorder.close();
        queries.close();
    }

    /**
     * Returns the state, at most 2 s old unless the database is slow or does not answer. Waits for 1.7 s at most. Throws the failure of the
     * last query if none has succeeded.
     */
    Latest latest() {
        Known<Snapshot> known = state.latest();
        return new Latest(
                known.value(), known.trouble() == null ? null : known.value().at());
    }

    /** Makes the next page read the state again, after a query that runs, because an operator has changed it. */
    void expire() {
        state.expire();
    }

    private Duration record() {
        state.refresh();
        return RECORDED_EACH;
    }

    private Snapshot read() {
        OutboxOverview overview = inspector.overview();
        Instant at = clock.instant();
        return new Snapshot(
                at,
                overview,
                inspector.failures(),
                operations.untaken(),
                pauses(overview),
                samples(Sample.of(at, overview)));
    }

    private List<Operation> pauses(OutboxOverview overview) {
        boolean paused = overview.streams().stream().anyMatch(OutboxOverview.Stream::paused)
                || overview.handlers().stream().anyMatch(OutboxOverview.Handler::paused);
        return paused ? inspector.pauses() : List.of();
    }

    /** Returns the lines of the last 10 minutes with a new sample, unless one of the last 2 s is kept. A stream keeps its color. */
    private Samples samples(Sample sample) {
        colors.addAll(sample.streams().keySet());
        Sample last = samples.peekLast();
        if (last == null || !sample.at().isBefore(last.at().plus(MAX_AGE))) {
            samples.addLast(sample);
        }
        while (samples.getFirst().at().isBefore(sample.at().minus(KEPT))) {
            samples.removeFirst();
        }
        return Samples.of(List.copyOf(samples), List.copyOf(colors));
    }
}
