package dev.outbox.internal.runtime;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.operate.HandlerExpiry;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.schema.WorkerPrivileges;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registers the handlers of this instance, keeps the registrations from expiring, and reports and ends those that no instance has. */
final class HandlerHeartbeat implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(HandlerHeartbeat.class);

    private static final Duration PERIOD = Duration.ofMinutes(1);
    private static final int ROUNDS_BETWEEN_CLEANUPS = 10;

    private final WorkerPrivileges privileges;
    private final HandlerRegistry registry;
    private final HandlerExpiry expiry;
    private final Runnable changed;
    private final BackgroundLoop loop = new BackgroundLoop("outbox-registry", this::runOnce);
    private boolean registered;
    private int rounds;

    /** Announces to other instances that it has registered the handlers, which a resting one would not notice. */
    HandlerHeartbeat(WorkerPrivileges privileges, HandlerRegistry registry, HandlerExpiry expiry, Runnable changed) {
        this.privileges = privileges;
        this.registry = registry;
        this.expiry = expiry;
        this.changed = changed;
    }

    /** Checks the privileges and registers the handlers on the calling thread, or in the background if the database fails. */
    void start() {
        try {
            privileges.check();
            register();
        } catch (SQLException ex) {
            log.warn("Could not register the handlers yet; trying again in the background", ex);
        }
        if (registered) {
            report();
        }
        loop.start();
    }

    private void register() throws SQLException {
        registry.register();
        registered = true;
        changed.run();
    }

    /** A failure of the database disturbs nothing: the next round reports. Returns whether deliveries wait for absent handlers. */
    private boolean report() {
        try {
            return expiry.report(registry.local());
        } catch (SQLException ex) {
            log.debug("Could not look for absent handlers; trying again", ex);
            return true;
        }
    }

    private Duration runOnce() throws SQLException {
        if (registered) {
            registry.heartbeat();
        } else {
            register();
        }
        // The handlers of expired registrations are absent: without these, only registrations are left to be removed.
        if (report() || rounds++ % ROUNDS_BETWEEN_CLEANUPS == 0) {
            expiry.runOnce();
        }
        return PERIOD;
    }

    @Override
    public void close() {
        loop.close();
    }
}
