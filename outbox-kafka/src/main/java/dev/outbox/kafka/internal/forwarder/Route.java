package dev.outbox.kafka.internal.forwarder;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Way of events to a topic.
 *
 * @param name the name in the configuration
 * @param selector which events
 * @param topic the topic
 * @param format what the records look like
 * @param forwardReceived whether to forward events that an inbox has received
 */
public record Route(String name, Selector selector, String topic, Format format, boolean forwardReceived) {

    /**
     * What the records look like.
     *
     * @param key the key
     * @param headers the headers of the event that are sent beside those of its trace, or {@code null} for all
     */
    public record Format(RecordKey key, @Nullable Set<String> headers) {

        /** Names no baggage, which may be confidential. */
        private static final Set<String> TRACE = Set.of("traceparent", "tracestate");

        boolean sends(String header) {
            return headers == null || headers.contains(header) || TRACE.contains(header);
        }
    }

    /** Returns the id of the handler that forwards the events. */
    public String handlerId() {
        return "kafka-" + name;
    }

    /** Returns the prefix of the route's properties. */
    public String property() {
        return "outbox.kafka.routes." + name;
    }

    /** Describes the route, for the log. */
    @Override
    public String toString() {
        return name + " (" + selector + " to topic " + topic + ")";
    }
}
