package dev.outbox.internal.dispatch;

import dev.outbox.CircuitBreaker;
import dev.outbox.HandlerDefinition;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Circuit breakers of the handlers of this instance. Safe for use by many threads. */
final class Circuits {

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

    /** Returns the ids of the handlers whose circuit is open. */
    Set<String> open() {
        Set<String> open = new TreeSet<>();
        byHandler.forEach((id, circuit) -> circuit.filter(Circuit::isOpen).ifPresent((one) -> open.add(id)));
        return open;
    }
}
