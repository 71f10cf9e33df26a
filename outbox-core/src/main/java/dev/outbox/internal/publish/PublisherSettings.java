package dev.outbox.internal.publish;

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

    /** Streams of events that name none: that of the aggregate type, else the default. */
    public record StreamRouting(Map<String, String> aggregateTypes) {

        /** Stream of events that no rule sends elsewhere. */
        public static final String DEFAULT_STREAM = "default";

        /** Routing of all events to the default stream. */
        public static final StreamRouting NONE = new StreamRouting(Map.of());

        /** Refuses types that no event can have. */
        public StreamRouting {
            aggregateTypes = Map.copyOf(aggregateTypes);
            if (aggregateTypes.keySet().stream().anyMatch(String::isBlank)) {
                throw new IllegalArgumentException("aggregateTypes must not be blank: " + aggregateTypes.keySet());
            }
        }

        /** Returns a routing that also sends events of these aggregate types to a stream. */
        public StreamRouting with(String stream, Collection<String> types) {
            Map<String, String> all = new TreeMap<>(aggregateTypes);
            for (String type : types) {
                String other = all.put(type, stream);
                if (other != null && !other.equals(stream)) {
                    throw new IllegalArgumentException("aggregateTypes of stream '" + stream
                            + "' must not hold what stream '" + other + "' takes: " + type);
                }
            }
            return new StreamRouting(all);
        }

        /** Returns the stream of an event that names none. */
        public String streamOf(String aggregateType) {
            return aggregateTypes.getOrDefault(aggregateType, DEFAULT_STREAM);
        }

        /** Returns the streams that the rules name. */
        public Set<String> streams() {
            return new TreeSet<>(aggregateTypes.values());
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
