package dev.outbox.internal.runtime;

import dev.outbox.internal.absence.HandlerExpiry;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.schema.WorkerPrivileges;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Registers the handlers of this instance, keeps the registrations from expiring, and reports and ends those that no instance has. */
final class HandlerHeartbeat {

    private static final Logger log = LoggerFactory.getLogger(HandlerHeartbeat.class);

    private static final Duration PERIOD = Duration.ofMinutes(1);

    /** By then, events that were queued at the start are deliveries, whose handler may be absent. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    private static final int ROUNDS_BETWEEN_CLEANUPS = 10;

    private final WorkerPrivileges privileges;
    private final HandlerRegistry registry;
    private final HandlerExpiry expiry;
    private final Runnable changed;
    private final Runnable ended;
    private boolean registered;
    private Duration longestPause = FIRST_PAUSE;
    private int rounds;

    /**
     * Announces to other instances that it has registered the handlers, and to all that lanes continue whose first delivery has ended, which
     * a resting one would not notice.
     */
    HandlerHeartbeat(
            WorkerPrivileges privileges,
            HandlerRegistry registry,
            HandlerExpiry expiry,
            Runnable changed,
            Runnable ended) {
        this.privileges = privileges;
        this.registry = registry;
        this.expiry = expiry;
        this.changed = changed;
        this.ended = ended;
    }

    /** Checks the privileges and registers the handlers on the calling thread, unless the database fails: then the first round does so. */
    void start() {
        try {
            privileges.check();
            register();
        } catch (SQLException ex) {
            log.atLevel(Causes.isUnreachable(ex) ? Level.DEBUG : Level.WARN)
                    .setCause(ex)
                    .log("Could not register the handlers yet; trying again in the background");
        }
        if (registered) {
            report();
        }
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

    Duration runOnce() throws SQLException {
        if (registered) {
            registry.heartbeat();
        } else {
            register();
        }
        boolean expired = expiry.expireSubscriptions();
        // The handlers of expired registrations are absent: without these, only registrations are left to be removed.
        boolean absent = report();
        if ((expired || absent || rounds++ % ROUNDS_BETWEEN_CLEANUPS == 0) && expiry.runOnce()) {
            ended.run();
            return SHORTEST_PAUSE;
        }
        Duration longest = longestPause;
        longestPause = PERIOD;
        return expiry.untilSubscriptionExpires()
                .map((until) -> until.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : until)
                .filter((until) -> until.compareTo(longest) < 0)
                .orElse(longest);
    }
}
