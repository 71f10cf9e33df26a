package dev.outbox.internal.inspect;

import dev.outbox.internal.inspect.EventStateStore.Found;
import dev.outbox.internal.inspect.EventStateStore.Tried;
import dev.outbox.internal.registry.HandlerState;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.EventDetails.HandlerProgress;
import dev.outbox.operations.EventDetails.Outcome;
import dev.outbox.operations.Operation;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes the details of an event of what the store has read. */
final class EventReport {

    private EventReport() {}

    static EventDetails of(Found found, List<Operation> operations) {
        return new EventDetails(
                found.event().event(),
                found.event().schemaVersion(),
                found.event().progress(),
                List.copyOf(handlers(found).values()),
                operations);
    }

    /** A delivery or skip under a former id belongs to the current handler, unless that has one of its own. */
    private static Map<String, HandlerProgress> handlers(Found found) {
        KnownHandlers known = new KnownHandlers(found.handlers(), List.of());
        Map<String, HandlerProgress> handlers = new TreeMap<>();
        for (Tried tried : found.deliveries()) {
            String stored = tried.delivery().handlerId();
            String current = known.currentId(stored);
            boolean taken = found.deliveries().stream()
                    .anyMatch((other) ->
                            !other.equals(tried) && other.delivery().handlerId().equals(current));
            String id = taken ? stored : current;
            boolean dead = tried.delivery().state().status() == DeliveryStatus.DEAD;
            handlers.put(
                    id,
                    new HandlerProgress(id, dead ? Outcome.DEAD : Outcome.OPEN, tried.delivery(), tried.failures()));
        }
        found.skipped().forEach((id) -> handlers.computeIfAbsent(known.currentId(id), EventReport::skipped));
        Outcome untouched = found.event().progress().dispatchedAt() == null ? Outcome.PENDING : Outcome.DONE;
        known.current().stream()
                .filter((handler) -> handler.takes(found.event().values()))
                .map(HandlerState::id)
                .forEach((id) ->
                        handlers.computeIfAbsent(id, (own) -> new HandlerProgress(own, untouched, null, List.of())));
        return handlers;
    }

    private static HandlerProgress skipped(String handlerId) {
        return new HandlerProgress(handlerId, Outcome.SKIPPED, null, List.of());
    }
}
