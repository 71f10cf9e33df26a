package dev.outbox.forwarding.internal.received;

import dev.outbox.RetryAfterException;
import dev.outbox.internal.failure.Causes;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records that wait for their predecessors, as this instance has seen them. Reports the first one, and that none is left. */
public final class HeldRecords {

    private static final Logger log = LoggerFactory.getLogger(HeldRecords.class);

    private final String inbox;
    private final Map<UUID, Instant> heldUntil = new ConcurrentHashMap<>();

    public HeldRecords(String inbox) {
        this.inbox = inbox;
    }

    /** Keeps a record waiting. Forgets those that another instance has handled since. */
    public RetryAfterException hold(UUID eventId, Instant until, Instant now, Duration delay, String message) {
        boolean first = heldUntil.isEmpty();
        heldUntil.values().removeIf((end) -> end.isBefore(now));
        heldUntil.put(eventId, until);
        if (first) {
            log.warn("Inbox {} holds back records behind gaps: {}", inbox, message);
        }
        return RetryAfterException.uncounted(delay, message, Causes.selfReported());
    }

    /** Ends the wait of a record, if it has waited. */
    public void release(UUID eventId) {
        if (heldUntil.remove(eventId) != null && heldUntil.isEmpty()) {
            log.info("Inbox {} holds back no more records", inbox);
        }
    }
}
