package dev.outbox.internal.inspect;

import dev.outbox.internal.inspect.StatusStore.Counts;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Cached counts of every stream. Unknown counts are absent, never zero. Safe for use by many threads. */
public final class QueueGauges {

    private final CachedQuery<Map<String, Counts>> counts;

    /** Creates gauges that query when the first reader asks. */
    public QueueGauges(StatusStore store, Duration maxAge) {
        this.counts = new CachedQuery<>("outbox-gauges", store::count, maxAge);
    }

    /** Returns the counts of a stream if they are known; waits for a query if they are stale, up to 1.5 s after its start. */
    public Optional<Counts> current(String stream) {
        return all().map((counts) -> counts.getOrDefault(stream, Counts.NONE));
    }

    /** Returns the counts of every stream that has events or a poller, like {@link #current}. */
    public Optional<Map<String, Counts>> all() {
        return counts.current();
    }
}
