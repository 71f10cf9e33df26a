package dev.outbox.kafka.autoconfigure;

import dev.outbox.kafka.internal.forwarder.RecordKey;
import dev.outbox.kafka.internal.inbox.Late;
import dev.outbox.kafka.internal.inbox.UnknownTypes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the Kafka module. A property that does not exist fails the start.
 *
 * @param source Source of forwarded events, the CloudEvents attribute "source". Required if there is a route; the same in every process of a service.
 * @param producer Producer of forwarded events.
 * @param routes Routes by name. Each forwards the events that it selects to a topic.
 * @param inboxes Inboxes by name. Each stores the events of its topics in the outbox.
 */
@ConfigurationProperties(prefix = "outbox.kafka", ignoreUnknownFields = false)
public record OutboxKafkaProperties(
        @Nullable String source,
        @DefaultValue Producer producer,
        @DefaultValue Map<String, Route> routes,
        @DefaultValue Map<String, Inbox> inboxes) {

    /**
     * Producer of forwarded events.
     *
     * @param properties Kafka's properties of the producer. They override those below "spring.kafka".
     */
    public record Producer(@DefaultValue Map<String, String> properties) {}

    /**
     * Route: which events go to a topic, and how. The event types, aggregate types and streams select the events;
     * an event must match each of them that is set.
     *
     * @param eventTypes Event types whose events go to the topic.
     * @param aggregateTypes Aggregate types whose events go to the topic.
     * @param streams Streams whose events go to the topic.
     * @param topic Topic of the records.
     * @param key Key of the records: the aggregate id keeps the order of an aggregate.
     * @param headers Headers of the event that become headers of the record, beside "traceparent" and "tracestate". All if not set.
     * @param forwardReceived Whether to forward events that an inbox has received.
     */
    public record Route(
            @DefaultValue List<String> eventTypes,
            @DefaultValue List<String> aggregateTypes,
            @DefaultValue List<String> streams,
            @Nullable String topic,
            @DefaultValue("aggregate-id") RecordKey key,
            @Nullable List<String> headers,
            @DefaultValue("false") boolean forwardReceived) {}

    /**
     * Inbox: which topics to receive, and how.
     *
     * @param topics Topics to receive.
     * @param group Consumer group.
     * @param aggregateTypePrefix Prefix of the aggregate types of received events.
     * @param stream Stream of received events. The configuration of the streams decides if not set.
     * @param concurrency Number of consumers.
     * @param gaps What happens to an event whose predecessor has not arrived: "accept" stores it, "hold" waits for the predecessor.
     * @param gapTimeout How long to wait for the predecessor.
     * @param late What happens to an event that arrives after its successor. An operator can retry the dead letter, which stores the event.
     * @param unknownTypes What happens to an event that no handler takes: "store" keeps it in history, for a replay to a later handler.
     */
    public record Inbox(
            @DefaultValue List<String> topics,
            @Nullable String group,
            @DefaultValue("") String aggregateTypePrefix,
            @Nullable String stream,
            @DefaultValue("1") int concurrency,
            @DefaultValue("accept") Gaps gaps,
            @DefaultValue("1m") Duration gapTimeout,
            @DefaultValue("dead-letter") Late late,
            @DefaultValue("store") UnknownTypes unknownTypes) {}

    /** What happens to an event whose predecessor has not arrived. */
    public enum Gaps {
        /** Stores the event. */
        ACCEPT,
        /** Waits for the predecessor. */
        HOLD
    }
}
