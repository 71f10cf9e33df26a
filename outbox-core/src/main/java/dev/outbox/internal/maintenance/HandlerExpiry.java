package dev.outbox.internal.maintenance;

import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.HandlerExpiryStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports handlers that no process has any more, and lets go of what waits for them when they have been gone for long: it becomes dead,
 * where it is seen, and may be retried or skipped. Safe for use by many threads and processes.
 */
public final class HandlerExpiry {

    private static final Logger log = LoggerFactory.getLogger(HandlerExpiry.class);

    private static final Duration MISSED_AFTER = Duration.ofHours(1);
    private static final int BATCH_SIZE = 500;

    private final HandlerExpiryStore store;
    private final Duration retireAfter;

    /** Creates a expiry. */
    public HandlerExpiry(HandlerExpiryStore store, Duration retireAfter) {
        this.store = store;
        this.retireAfter = retireAfter;
    }

    /** Reports the handlers that no process has shown for an hour, one line each. */
    public void report() throws SQLException {
        for (HandlerExpiryStore.Missing missing : store.missing(MISSED_AFTER)) {
            log.warn(
                    "no process has handler '{}', or wants some event type in it, any more (last seen {}); {} deliveries wait for it,"
                            + " and are dead from {} on; if it was renamed, give its new id this alias",
                    missing.id(),
                    missing.lastSeen(),
                    missing.open() < HandlerExpiryStore.MOST_COUNTED ? missing.open() : missing.open() + " or more",
                    missing.lastSeen().plus(retireAfter));
        }
    }

    /** Makes dead what waits for handlers that have retired, in bounded batches, and deletes their registrations. */
    public void runOnce() throws SQLException {
        FaultPoint.BEFORE_HANDLER_EXPIRY.reached();
        Map<String, Long> buried = store.bury(retireAfter, BATCH_SIZE);
        while (!buried.isEmpty()) {
            buried.forEach((handlerId, count) -> log.error(
                    "{} deliveries wait for handler '{}', which no process has had for {} h; they are dead until an"
                            + " operator retries or skips them",
                    count,
                    handlerId,
                    retireAfter.toHours()));
            buried = store.bury(retireAfter, BATCH_SIZE);
        }
        FaultPoint.BEFORE_REGISTRATION_REMOVAL.reached();
        store.forget(retireAfter);
        FaultPoint.AFTER_REGISTRATION_REMOVAL.reached();
    }
}
