package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a handler rest while everything that it does fails, so that an outage of what it works with does not use up the attempts of every
 * event. Closed, it lets everything pass; once enough aggregates have failed with no success in between, it opens, and lets one event
 * pass per interval to find out whether the outage is over. One poisoned aggregate alone never opens it. Safe for use by many threads.
 */
final class Circuit {

    private static final Logger log = LoggerFactory.getLogger(Circuit.class);

    private final String handlerId;
    private final CircuitSettings settings;
    private final LongSupplier nanos;
    private final Set<Aggregate> failed = new HashSet<>();
    private @Nullable Long probeAt;

    private record Aggregate(String type, String id) {}

    Circuit(String handlerId, CircuitSettings settings, LongSupplier nanos) {
        this.handlerId = handlerId;
        this.settings = settings;
        this.nanos = nanos;
    }

    /** Whether an event would be let pass now. */
    synchronized boolean isPassable() {
        return probeAt == null || nanos.getAsLong() - probeAt >= 0;
    }

    /** Whether this event is let pass; if the circuit is open, it is the only one for an interval. */
    synchronized boolean pass() {
        if (!isPassable()) {
            return false;
        }
        if (probeAt != null) {
            probeAt = nanos.getAsLong() + settings.probeInterval().toNanos();
        }
        return true;
    }

    synchronized void succeeded() {
        failed.clear();
        if (probeAt != null) {
            probeAt = null;
            log.info("{} succeeds again; its circuit is closed", handlerId);
        }
    }

    /** Returns whether that opened the circuit. */
    synchronized boolean failed(EventEnvelope envelope) {
        if (probeAt != null) {
            return false;
        }
        failed.add(new Aggregate(envelope.aggregateType(), envelope.aggregateId()));
        if (failed.size() < settings.failures()) {
            return false;
        }
        failed.clear();
        probeAt = nanos.getAsLong() + settings.probeInterval().toNanos();
        log.warn(
                "{} has failed for {} aggregates in a row; its circuit is open, its events wait, and one is tried every {} ms",
                handlerId,
                settings.failures(),
                settings.probeInterval().toMillis());
        return true;
    }
}
