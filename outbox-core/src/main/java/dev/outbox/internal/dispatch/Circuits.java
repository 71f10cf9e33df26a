package dev.outbox.internal.dispatch;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** The circuits of the handlers that have one. Safe for use by many threads. */
final class Circuits {

    private final Map<String, Circuit> circuits = new ConcurrentHashMap<>();

    Circuits(DispatchSettings settings, LongSupplier nanos) {
        settings.handlers().forEach((id, handler) -> {
            CircuitSettings circuit = handler.circuit();
            if (circuit != null) {
                circuits.put(id, new Circuit(id, circuit, nanos));
            }
        });
    }

    Optional<Circuit> of(String handlerId) {
        return Optional.ofNullable(circuits.get(handlerId));
    }
}
