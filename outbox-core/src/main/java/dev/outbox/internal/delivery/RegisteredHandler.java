package dev.outbox.internal.delivery;

import java.util.Set;

/** A handler as it stands in the registry of all processes. */
public record RegisteredHandler(String id, Set<String> eventTypes, Set<String> aliases, boolean paused) {

    /** Copies the sets. */
    public RegisteredHandler {
        eventTypes = Set.copyOf(eventTypes);
        aliases = Set.copyOf(aliases);
    }
}
