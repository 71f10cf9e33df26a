package dev.outbox.dispatch;

import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The circuits of the handlers that have one. Safe for use by many threads. */
final class Circuits {

    private final Map<String, Circuit> circuits = new ConcurrentHashMap<>();

    Circuits(DispatchSettings settings, Clock clock) {
        settings.handlers().forEach((id, handler) -> {
            CircuitSettings circuit = handler.circuit();
            if (circuit != null) {
                circuits.put(id, new Circuit(id, circuit, clock));
            }
        });
    }

    Optional<Circuit> of(String handlerId) {
        return Optional.ofNullable(circuits.get(handlerId));
    }
}
