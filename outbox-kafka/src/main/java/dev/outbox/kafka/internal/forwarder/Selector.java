package dev.outbox.kafka.internal.forwarder;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Events of a route: those whose type, aggregate type and stream each have one of the names, where there are any. */
public record Selector(Set<String> eventTypes, Set<String> aggregateTypes, Set<String> streams) {

    /** Copies the names. */
    public Selector {
        eventTypes = Set.copyOf(eventTypes);
        aggregateTypes = Set.copyOf(aggregateTypes);
        streams = Set.copyOf(streams);
    }

    /** Names the events, for messages. */
    @Override
    public String toString() {
        return Stream.of(
                        named("event type", eventTypes),
                        named("aggregate type", aggregateTypes),
                        named("stream", streams))
                .filter((named) -> !named.isEmpty())
                .collect(Collectors.joining(", "));
    }

    private static String named(String noun, Set<String> names) {
        return names.isEmpty() ? "" : noun + " " + String.join(", ", new TreeSet<>(names));
    }
}
