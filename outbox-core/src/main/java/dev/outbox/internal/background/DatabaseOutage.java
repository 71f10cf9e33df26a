package dev.outbox.internal.background;

import dev.outbox.internal.failure.Causes;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Outage of the database, which every thread finds by itself: the log has one line when it begins, and one when it ends. */
final class DatabaseOutage {

    private static final Logger log = LoggerFactory.getLogger(DatabaseOutage.class);

    private static final Map<DataSource, DatabaseOutage> OUTAGES = Collections.synchronizedMap(new WeakHashMap<>());

    private final LongSupplier nanos;
    private final Set<Object> waiting = new HashSet<>();
    private final Set<String> reasons = new HashSet<>();
    private boolean lasts;
    private long begunAt;
    private int ended;

    DatabaseOutage(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Returns what the threads that use a database share. */
    static DatabaseOutage of(DataSource database) {
        return OUTAGES.computeIfAbsent(database, (added) -> new DatabaseOutage(System::nanoTime));
    }

    /** Returns how many outages have ended. */
    synchronized int ended() {
        return ended;
    }

    /**
     * Returns whether a task failed because it has no connection. Logs the first failure of an outage, and once each reason for which the
     * server refuses a connection. A round that began before the end of an outage and fails after it belongs to that outage.
     */
    synchronized boolean stops(Object task, int endedBefore, Throwable ex) {
        if (!Causes.isUnreachable(ex)) {
            continues(task);
            return false;
        }
        waiting.add(task);
        if (!lasts && endedBefore == ended) {
            lasts = true;
            reasons.clear();
            reasons.add(Causes.refusal(ex));
            begunAt = nanos.getAsLong();
            log.warn(
                    "Outbox has no connection to the database: events wait, and delivery continues when it has one again: {}",
                    Causes.reason(ex));
        } else if (lasts && endedBefore == ended && reasons.add(Causes.refusal(ex))) {
            log.warn("Outbox still has no connection to the database, for another reason: {}", Causes.reason(ex));
        }
        return true;
    }

    /** Notes that the database has answered a task; the first answer is logged. */
    synchronized void continues(Object task) {
        if (waiting.remove(task) && lasts) {
            lasts = false;
            ended++;
            log.info(
                    "Outbox has a connection to the database again, after {} s: delivery continues",
                    Duration.ofNanos(nanos.getAsLong() - begunAt).toSeconds());
        }
    }

    /** Notes that a task has ended: the last one leaves no outage behind. */
    synchronized void forget(Object task) {
        waiting.remove(task);
        lasts &= !waiting.isEmpty();
    }
}
