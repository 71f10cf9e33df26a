package dev.outbox.kafka.internal.forwarder;

import dev.outbox.EventEnvelope;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Route: which events go to a topic, and how. The event types, aggregate types and streams select the events; an event must match each of
 * them that is set.
 *
 * @param eventTypes Event types whose events go to the topic.
 * @param aggregateTypes Aggregate types whose events go to the topic.
 * @param streams Streams whose events go to the topic.
 * @param topic Topic of the records. "{aggregateType}" stands for the aggregate type of the event.
 * @param forwardReceived Whether to forward events that an inbox has received.
 * @param mapper Name of the KafkaRecordMapper bean. The only such bean if not set.
 * @param producer Producer of this route only, if it has properties.
 * @param aliases Former names of the route.
 * @param enabled Whether this instance has the route.
 */
public record Route(
        @DefaultValue Set<String> eventTypes,
        @DefaultValue Set<String> aggregateTypes,
        @DefaultValue Set<String> streams,
        @DefaultValue("") String topic,
        @DefaultValue("false") boolean forwardReceived,
        @Nullable String mapper,
        @DefaultValue Producer producer,
        @DefaultValue List<String> aliases,
        @DefaultValue("true") boolean enabled) {

    /** Stands for the aggregate type in the name of a topic. */
    public static final String AGGREGATE_TYPE = "{aggregateType}";

    /** Prefix of the handler ids of routes. */
    public static final String HANDLER = "kafka-";

    /**
     * Producer of forwarded events.
     *
     * @param properties Kafka's properties of the producer. They override those below "spring.kafka".
     */
    public record Producer(@DefaultValue Map<String, String> properties) {}

    String topicOf(EventEnvelope event) {
        return topic.replace(AGGREGATE_TYPE, event.aggregateType());
    }
}
