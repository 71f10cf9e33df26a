package dev.outbox.internal.publish;

import dev.outbox.EventTypeName;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Settings for publishing. */
public record PublisherSettings(int maxPayloadSize, Unrouted unrouted, StreamRouting routing) {

    /** What happens to an event without subscribers. */
    public enum Unrouted {
        /** It is stored and counts as published; a warning per type names it. */
        WARN,
        /** Publishing it fails. */
        FAIL
    }

    /**
     * Streams of events that name none: that of the event type, else that of the aggregate type, else the default. Order holds within a
     * stream: routing some event types of an aggregate to another stream gives up the order between them and the others.
     */
    public record StreamRouting(Map<String, String> eventTypes, Map<String, String> aggregateTypes) {

        /** Stream of events that no rule sends elsewhere. */
        public static final String DEFAULT_STREAM = "default";

        /** Routing of all events to the default stream. */
        public static final StreamRouting NONE = new StreamRouting(Map.of(), Map.of());

        /** Refuses types that no event can have. */
        public StreamRouting {
            eventTypes = Map.copyOf(eventTypes);
            aggregateTypes = Map.copyOf(aggregateTypes);
            for (String type : eventTypes.keySet()) {
                if (!EventTypeName.isValid(type)) {
                    throw new IllegalArgumentException("eventTypes must " + EventTypeName.RULE + ": " + type);
                }
            }
            if (aggregateTypes.keySet().stream().anyMatch(String::isBlank)) {
                throw new IllegalArgumentException("aggregateTypes must not be blank: " + aggregateTypes.keySet());
            }
        }

        /** Returns a routing that also sends events of these types to a stream. */
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
                    throw new IllegalArgumentException(component + " of stream '" + stream
                            + "' must not hold what stream '" + other + "' takes: " + type);
                }
            }
            return all;
        }

        /** Returns the stream of an event that names none. */
        public String streamOf(String eventType, String aggregateType) {
            String byEventType = eventTypes.get(eventType);
            return byEventType != null ? byEventType : aggregateTypes.getOrDefault(aggregateType, DEFAULT_STREAM);
        }

        /** Returns the streams that the rules name. */
        public Set<String> streams() {
            Set<String> streams = new TreeSet<>(eventTypes.values());
            streams.addAll(aggregateTypes.values());
            return streams;
        }
    }

    public PublisherSettings {
        if (maxPayloadSize < 2) {
            throw new IllegalArgumentException("maxPayloadSize must be at least 2 bytes: " + maxPayloadSize);
        }
    }

    /** Creates settings without routing rules. */
    public PublisherSettings(int maxPayloadSize, Unrouted unrouted) {
        this(maxPayloadSize, unrouted, StreamRouting.NONE);
    }

    /** Returns the defaults: payloads up to 1 MiB, a warning for events without subscribers, and no routing rules. */
    public static PublisherSettings defaults() {
        return new PublisherSettings(1 << 20, Unrouted.WARN);
    }
}
