package dev.outbox.internal.publish;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which stream an event travels in that does not name one: the stream of its event type, else that of its aggregate type, else
 * the default. Order holds within a stream, so routing by aggregate type keeps it, and routing some event types of an aggregate
 * elsewhere gives it up between them and the others.
 */
public record StreamRouting(Map<String, String> eventTypes, Map<String, String> aggregateTypes) {

    /** The stream of events that nothing sends elsewhere. */
    public static final String DEFAULT_STREAM = "default";

    /** Everything travels in the default stream. */
    public static final StreamRouting NONE = new StreamRouting(Map.of(), Map.of());

    /** Checks the types: one that no event can have would send nothing anywhere. */
    public StreamRouting {
        eventTypes = Map.copyOf(eventTypes);
        aggregateTypes = Map.copyOf(aggregateTypes);
        for (String type : eventTypes.keySet()) {
            if (!EventWriter.PASCAL_CASE.matcher(type).matches()) {
                throw new IllegalArgumentException("eventTypes must be PascalCase: " + type);
            }
        }
        if (aggregateTypes.keySet().stream().anyMatch(String::isBlank)) {
            throw new IllegalArgumentException("aggregateTypes must not be blank: " + aggregateTypes.keySet());
        }
    }

    /** Sends events to a stream. */
    public StreamRouting with(String stream, Collection<String> ofEventTypes, Collection<String> ofAggregateTypes) {
        return new StreamRouting(
                taken("eventTypes", eventTypes, stream, ofEventTypes),
                taken("aggregateTypes", aggregateTypes, stream, ofAggregateTypes));
    }

    private static Map<String, String> taken(
            String component, Map<String, String> known, String stream, Collection<String> types) {
        Map<String, String> all = new TreeMap<>(known);
        for (String type : types) {
            String other = all.put(type, stream);
            if (other != null && !other.equals(stream)) {
                throw new IllegalArgumentException(component + " of stream '" + stream + "' must not hold what stream '"
                        + other + "' takes: " + type);
            }
        }
        return all;
    }

    /** Finds the stream of an event that names none. */
    String streamOf(String eventType, String aggregateType) {
        String byEventType = eventTypes.get(eventType);
        return byEventType != null ? byEventType : aggregateTypes.getOrDefault(aggregateType, DEFAULT_STREAM);
    }

    /** Returns the streams to which anything is sent. */
    public Set<String> streams() {
        Set<String> streams = new TreeSet<>(eventTypes.values());
        streams.addAll(aggregateTypes.values());
        return streams;
    }
}
