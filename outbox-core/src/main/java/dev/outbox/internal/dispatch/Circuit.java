package dev.outbox.internal.dispatch;

import dev.outbox.CircuitBreaker;
import dev.outbox.EventEnvelope;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Circuit breaker of one handler, so that an outage does not use up the attempts of every event. It opens after failures of enough
 * different aggregates without a success in between; a single poisoned aggregate never opens it. An open circuit passes one event per
 * interval as a probe. Safe for use by many threads.
 */
final class Circuit {

    private static final Logger log = LoggerFactory.getLogger(Circuit.class);

    private final String handlerId;
    private final CircuitBreaker settings;
    private final LongSupplier nanos;
    private final Set<Aggregate> failed = new HashSet<>();
    private @Nullable Long probeAt;

    private record Aggregate(String type, String id) {}

    Circuit(String handlerId, CircuitBreaker settings, LongSupplier nanos) {
        this.handlerId = handlerId;
        this.settings = settings;
        this.nanos = nanos;
    }

    /** Returns whether an event would pass now. */
    synchronized boolean isPassable() {
        return probeAt == null || nanos.getAsLong() - probeAt >= 0;
    }

    synchronized boolean isOpen() {
        return probeAt != null;
    }

    /** Returns whether an event passes; as the probe of an open circuit, it is the only one for an interval. */
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
            log.info("The circuit of {} is closed: a delivery succeeded", handlerId);
        }
    }

    /** Returns whether the failure opened the circuit. */
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
                "The circuit of {} is open after failures of {} aggregates in a row; its events wait, and one probes it every {} ms",
                handlerId,
                settings.failures(),
                settings.probeInterval().toMillis());
        return true;
    }
}
