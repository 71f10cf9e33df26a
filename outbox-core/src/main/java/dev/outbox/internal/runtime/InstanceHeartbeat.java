package dev.outbox.internal.runtime;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.store.InstanceStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows operators that this instance polls; a failure disturbs no delivery. */
final class InstanceHeartbeat implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(InstanceHeartbeat.class);

    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Duration LONGEST_DELETE = Duration.ofSeconds(1);

    private final InstanceStore store;
    private final String name;
    private final Set<String> streams;
    private final Supplier<Set<String>> openCircuits;
    private final BackgroundLoop loop = new BackgroundLoop("outbox-instance", this::runOnce);
    private volatile boolean written;

    InstanceHeartbeat(InstanceStore store, String name, Set<String> streams, Supplier<Set<String>> openCircuits) {
        this.store = store;
        this.name = name;
        this.streams = streams;
        this.openCircuits = openCircuits;
    }

    void start() {
        loop.start();
    }

    Duration runOnce() throws SQLException {
        written = false;
        store.seen(name, streams, openCircuits.get());
        written = true;
        return PERIOD;
    }

    /** Removes the row, unless the database has failed before or takes too long: the row then disappears after a day. */
    @Override
    public void close() {
        loop.close();
        if (written) {
            Thread end = new Thread(this::delete, "outbox-instance-end");
            end.setDaemon(true);
            try {
                end.start();
                end.join(LONGEST_DELETE.toMillis());
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            } catch (OutOfMemoryError ex) {
                log.debug("Could not start the thread that removes instance {}; it is listed for a day", name, ex);
            }
        }
    }

    private void delete() {
        try {
            store.delete(name);
        } catch (SQLException | RuntimeException ex) {
            log.debug("Could not remove instance {}; it is listed for a day", name, ex);
        }
    }
}
