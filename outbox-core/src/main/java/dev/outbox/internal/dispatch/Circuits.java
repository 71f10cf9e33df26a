package dev.outbox.internal.dispatch;

import dev.outbox.CircuitBreaker;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.publish.Aggregate;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Circuit breakers of the handlers of this instance. Safe for use by many threads. */
final class Circuits {

    private static final Logger log = LoggerFactory.getLogger(Circuits.class);

    private final DispatchSettings settings;
    private final LongSupplier nanos;
    private final Map<String, Optional<Circuit>> byHandler = new ConcurrentHashMap<>();

    Circuits(DispatchSettings settings, LongSupplier nanos) {
        this.settings = settings;
        this.nanos = nanos;
    }

    /** Returns the circuit of a handler: as configured, or else as the handler defines it. */
    @Nullable
    Circuit of(HandlerDefinition handler) {
        Optional<Circuit> known = byHandler.get(handler.id());
        return (known != null ? known : byHandler.computeIfAbsent(handler.id(), (id) -> create(handler))).orElse(null);
    }

    private Optional<Circuit> create(HandlerDefinition handler) {
        CircuitBreaker configured = settings.of(handler.id()).circuit();
        CircuitBreaker breaker = configured != null ? configured : handler.circuit();
        return breaker == null ? Optional.empty() : Optional.of(new Circuit(handler.id(), breaker, nanos));
    }

    boolean isOpen(HandlerDefinition handler) {
        Circuit circuit = of(handler);
        return circuit != null && !circuit.isPassable();
    }

    /** Returns whether the circuit of a handler is open, even if it would pass a probe: queued deliveries probe it, the longest waiting first. */
    boolean queues(HandlerDefinition handler) {
        Circuit circuit = of(handler);
        return circuit != null && circuit.isOpen();
    }

    /** Returns the ids of the handlers whose circuit is open. */
    Set<String> open() {
        Set<String> open = new TreeSet<>();
        byHandler.forEach((id, circuit) -> circuit.filter(Circuit::isOpen).ifPresent((one) -> open.add(id)));
        return open;
    }

    /**
     * Circuit breaker of one handler, so that an outage does not use up the attempts of every event. It opens after failures of enough
     * different aggregates without a success in between; a single poisoned aggregate never opens it. An open circuit passes one event per
     * interval as a probe. Safe for use by many threads.
     */
    static final class Circuit {

        private final String handlerId;
        private final CircuitBreaker settings;
        private final LongSupplier nanos;
        private final Set<Aggregate> failed = new HashSet<>();
        private @Nullable Long probeAt;

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
            failed.add(Aggregate.of(envelope));
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
}
