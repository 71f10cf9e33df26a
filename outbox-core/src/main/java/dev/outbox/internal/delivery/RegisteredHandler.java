package dev.outbox.internal.delivery;

import java.util.Set;

/**
 * A handler as it stands in the registry of all processes.
 *
 * @param id the handler
 * @param eventTypes what it wants, in any version of its application that runs, {@code *} for all
 * @param aliases the ids that it had before
 * @param paused whether an operator has told it to rest
 */
public record RegisteredHandler(String id, Set<String> eventTypes, Set<String> aliases, boolean paused) {

    /** Copies the sets. */
    public RegisteredHandler {
        eventTypes = Set.copyOf(eventTypes);
        aliases = Set.copyOf(aliases);
    }
}
