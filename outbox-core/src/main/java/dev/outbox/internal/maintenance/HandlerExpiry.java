package dev.outbox.internal.maintenance;

import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.HandlerExpiryStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports handler registrations without a heartbeat, and dead-letters their deliveries when they expire. */
public final class HandlerExpiry {

    private static final Logger log = LoggerFactory.getLogger(HandlerExpiry.class);

    private static final Duration MISSING_AFTER = Duration.ofHours(1);
    private static final int BATCH_SIZE = 500;

    private final HandlerExpiryStore store;
    private final Duration expireAfter;

    public HandlerExpiry(HandlerExpiryStore store, Duration expireAfter) {
        this.store = store;
        this.expireAfter = expireAfter;
    }

    /** Logs a line for each handler without a heartbeat for an hour. */
    public void report() throws SQLException {
        for (HandlerExpiryStore.Missing missing : store.missing(MISSING_AFTER)) {
            log.warn(
                    "Handler '{}', or one of its event types, has had no heartbeat since {}; {} deliveries wait for it and are"
                            + " dead-lettered from {} on; if the handler was renamed, add this id as an alias of the new one",
                    missing.id(),
                    missing.lastSeen(),
                    missing.open() < HandlerExpiryStore.MOST_COUNTED ? missing.open() : missing.open() + " or more",
                    missing.lastSeen().plus(expireAfter));
        }
    }

    /** Dead-letters the deliveries of expired registrations, batch by batch, and deletes these. */
    public void runOnce() throws SQLException {
        FaultPoint.BEFORE_HANDLER_EXPIRY.reached();
        Map<String, Long> dead = store.deadLetter(expireAfter, BATCH_SIZE);
        while (!dead.isEmpty()) {
            dead.forEach((handlerId, count) -> log.error(
                    "Dead-lettered {} deliveries of handler '{}', whose registration has had no heartbeat for {} h; retry or skip them",
                    count,
                    handlerId,
                    expireAfter.toHours()));
            dead = store.deadLetter(expireAfter, BATCH_SIZE);
        }
        FaultPoint.BEFORE_REGISTRATION_REMOVAL.reached();
        store.deleteExpired(expireAfter);
        FaultPoint.AFTER_REGISTRATION_REMOVAL.reached();
    }
}
