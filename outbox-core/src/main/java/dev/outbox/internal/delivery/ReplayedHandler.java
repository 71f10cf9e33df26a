package dev.outbox.internal.delivery;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** A handler that gets events again, as the registry of all processes has it. */
public record ReplayedHandler(String id, Set<String> ids, Set<String> eventTypes, boolean paused) {

    private static final String ALL = "*";

    /** Copies the sets. */
    public ReplayedHandler {
        ids = Set.copyOf(ids);
        eventTypes = Set.copyOf(eventTypes);
    }

    /** Finds a handler. */
    public static Optional<ReplayedHandler> find(String handlerId, Collection<RegisteredHandler> registry) {
        return registry.stream()
                .filter((one) -> one.id().equals(handlerId))
                .findFirst()
                .or(() -> registry.stream()
                        .filter((one) -> one.aliases().contains(handlerId))
                        .findFirst())
                .map((found) -> of(found, registry));
    }

    private static ReplayedHandler of(RegisteredHandler found, Collection<RegisteredHandler> registry) {
        Set<String> ids = new TreeSet<>(found.aliases());
        Set<String> eventTypes = new TreeSet<>();
        List<RegisteredHandler> versions = registry.stream()
                .filter((one) -> one.equals(found) || one.aliases().contains(found.id()))
                .toList();
        for (RegisteredHandler version : versions) {
            ids.add(version.id());
            ids.addAll(version.aliases());
            eventTypes.addAll(version.eventTypes());
        }
        boolean paused = registry.stream().anyMatch((one) -> one.paused() && ids.contains(one.id()));
        return new ReplayedHandler(found.id(), ids, eventTypes, paused);
    }

    /** Says whether it wants every event type. */
    public boolean wantsAll() {
        return eventTypes.contains(ALL);
    }

    /** Says whether it wants an event type. */
    public boolean wants(String eventType) {
        return wantsAll() || eventTypes.contains(eventType);
    }
}
