package dev.outbox.kafka.internal.forwarder;

import dev.outbox.EventEnvelope;
import dev.outbox.forwarding.autoconfigure.RouteSettings;
import java.util.List;
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
 * @param aliases Former names of the route.
 */
public record Route(
        @DefaultValue Set<String> eventTypes,
        @DefaultValue Set<String> aggregateTypes,
        @DefaultValue Set<String> streams,
        @DefaultValue("") String topic,
        @DefaultValue("false") boolean forwardReceived,
        @Nullable String mapper,
        @DefaultValue List<String> aliases)
        implements RouteSettings {

    /** Stands for the aggregate type in the name of a topic. */
    public static final String AGGREGATE_TYPE = "{aggregateType}";

    @Override
    public String destination() {
        return "topic " + topic;
    }

    String topicOf(EventEnvelope event) {
        return topic.replace(AGGREGATE_TYPE, event.aggregateType());
    }
}
