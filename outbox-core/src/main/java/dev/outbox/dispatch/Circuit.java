package dev.outbox.dispatch;

import dev.outbox.EventEnvelope;
import java.time.Clock;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
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
    private final Clock clock;
    private final Set<Aggregate> failed = new HashSet<>();
    private @Nullable Instant probeAt;

    private record Aggregate(String type, String id) {}

    Circuit(String handlerId, CircuitSettings settings, Clock clock) {
        this.handlerId = handlerId;
        this.settings = settings;
        this.clock = clock;
    }

    /** Whether an event would be let pass now. */
    synchronized boolean isPassable() {
        return probeAt == null || !clock.instant().isBefore(probeAt);
    }

    /** Whether this event is let pass; if the circuit is open, it is the only one for an interval. */
    synchronized boolean pass() {
        if (!isPassable()) {
            return false;
        }
        if (probeAt != null) {
            probeAt = clock.instant().plus(settings.probeInterval());
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
        probeAt = clock.instant().plus(settings.probeInterval());
        log.warn(
                "{} has failed for {} aggregates in a row; its circuit is open, its events wait, and one is tried every {} ms",
                handlerId,
                settings.failures(),
                settings.probeInterval().toMillis());
        return true;
    }
}
