package dev.outbox.internal.gauges;

import dev.outbox.internal.background.BackgroundQueries;
import dev.outbox.internal.background.BackgroundQueries.Known;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cached state of the queues. A hanging database or an exhausted pool delays a reader by at most 1.7 s. A failure is cached like a result.
 * Unknown counts are absent, never zero. Safe for use by many threads.
 */
public final class QueueGauges implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(QueueGauges.class);

    /** No statement may hold a connection of a small pool for long. */
    private static final String LIMITS = Pipeline.INSPECT.replace("5s", "1s");

    private final BackgroundQueries queries = new BackgroundQueries("outbox-gauges", 1, System::nanoTime);
    private final BackgroundQueries.Cached<QueueState> state;
    private final Duration maxAge;

    /** Creates gauges that query when the first reader asks. */
    public QueueGauges(DataSource dataSource, OutboxSchema schema, Duration maxAge) {
        this.state = queries.cached(new QueueStateStore(dataSource, schema, LIMITS)::read, maxAge);
        this.maxAge = maxAge;
    }

    @Override
    public void close() {
        queries.close();
    }

    /** Returns the events of a stream, as {@link #all} does. */
    public Optional<QueueState.Stream> stream(String name) {
        return all().map((known) -> known.stream(name));
    }

    /** Returns the deliveries of a registered handler, as {@link #all} does. */
    public Optional<QueueState.Handler> handler(String id) {
        return all().map((known) -> known.handlers().get(id));
    }

    /** Returns the state, if it is known; waits for a query if it is stale, up to 1.7 s after its start. */
    public Optional<QueueState> all() {
        try {
            return Optional.of(state.get());
        } catch (RuntimeException ex) {
            log.debug("Could not count what waits", ex);
            return Optional.empty();
        }
    }

    /** Returns the state as {@link #all} does; while it is not known, the last one for one period more. */
    public Optional<Known<QueueState>> latest() {
        try {
            Known<QueueState> known = state.latest();
            if (known.trouble() == null || known.age().compareTo(maxAge.multipliedBy(2)) < 0) {
                return Optional.of(known);
            }
            log.debug("Could not count what waits", known.trouble());
        } catch (RuntimeException ex) {
            log.debug("Could not count what waits", ex);
        }
        return Optional.empty();
    }
}
