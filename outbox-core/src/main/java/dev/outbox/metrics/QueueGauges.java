package dev.outbox.metrics;

import dev.outbox.store.StatusStore;
import dev.outbox.store.StatusStore.Counts;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The counts of every stream, from one query that is repeated only when they have become stale. */
public final class QueueGauges {

    private static final Logger log = LoggerFactory.getLogger(QueueGauges.class);

    private final StatusStore store;
    private final Duration maxAge;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Map<String, Counts> counts = Map.of();
    private volatile long countedAt;

    /**
     * Creates the gauges; the first reader causes the first query.
     *
     * @param store counts
     * @param maxAge how stale a count may be; not negative
     */
    public QueueGauges(StatusStore store, Duration maxAge) {
        if (maxAge.isNegative()) {
            throw new IllegalArgumentException("maxAge must not be negative: " + maxAge);
        }
        this.store = store;
        this.maxAge = maxAge;
        this.countedAt = System.nanoTime() - maxAge.toNanos();
    }

    /**
     * Returns the counts of a stream. Queries the database if they are stale and no other thread is at it; keeps the last
     * ones where the database cannot be reached.
     *
     * @param stream the stream
     * @return its counts
     */
    public Counts of(String stream) {
        if (System.nanoTime() - countedAt >= maxAge.toNanos() && lock.tryLock()) {
            try {
                counts = store.count();
            } catch (SQLException ex) {
                log.debug("the events could not be counted", ex);
            } finally {
                countedAt = System.nanoTime();
                lock.unlock();
            }
        }
        return counts.getOrDefault(stream, Counts.NONE);
    }
}
