package dev.outbox.internal.maintenance;

import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.HandlerExpiryStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Dead-letters the deliveries of handler registrations that expire, and deletes these. */
public final class HandlerExpiry {

    private static final Logger log = LoggerFactory.getLogger(HandlerExpiry.class);

    private static final int BATCH_SIZE = 500;

    private final HandlerExpiryStore store;
    private final Duration expireAfter;

    public HandlerExpiry(HandlerExpiryStore store, Duration expireAfter) {
        this.store = store;
        this.expireAfter = expireAfter;
    }

    /** Dead-letters the deliveries of expired registrations, batch by batch, and deletes these. */
    public void runOnce() throws SQLException {
        FaultPoint.BEFORE_HANDLER_EXPIRY.reached();
        Map<String, Long> dead = store.deadLetter(expireAfter, BATCH_SIZE);
        while (!dead.isEmpty()) {
            dead.forEach((handlerId, count) -> log.error(
                    "Dead-lettered {} deliveries of handler '{}', whose registration has expired: no running instance has had the handler for {} h,"
                            + " or an operator expired it; retry or skip them",
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
