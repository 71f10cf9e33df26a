package dev.outbox.chaos.run;

import dev.outbox.chaos.history.Fact.Ended;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.Fact.Started;
import dev.outbox.chaos.history.FactWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Reads a topic as a consumer without Outbox does, and drops duplicates by their event ids. The checker takes each other record for the
 * success of a route with the event: so nothing is lost on the way to the topic, and nothing overtakes.
 */
final class PlainConsumer {

    private static final String CLOUD_EVENT = "ce_";
    private static final Set<String> OF_THE_FORMAT = Set.of("content-type");
    private static final Duration POLL = Duration.ofMillis(200);

    private final Map<String, Object> properties;
    private final FactWriter facts;
    private final Set<UUID> seen = new HashSet<>();
    private final Map<UUID, Place> places = new HashMap<>();
    private final Map<TopicPartition, Long> next = new HashMap<>();
    private long records;

    /** Where a topic has an event. */
    record Place(TopicPartition partition, long offset) {}

    /** Prepares a consumer that connects to some brokers. */
    PlainConsumer(String bootstrapServers, FactWriter facts) {
        this.properties = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed");
        this.facts = facts;
    }

    /** Reads everything that a topic has and that is not read. The facts are those of a route's handler. */
    void readAll(String topic, String handler) {
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map((partition) -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.beginningOffsets(partitions)
                    .forEach((partition, beginning) ->
                            consumer.seek(partition, Math.max(beginning, next.getOrDefault(partition, 0L))));
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream()
                    .anyMatch((partition) -> consumer.position(partition) < ends.getOrDefault(partition, 0L))) {
                consumer.poll(POLL).forEach((received) -> read(received, handler));
            }
            next.putAll(ends);
        }
    }

    /** Forgets what it has read of a topic that is created again. */
    void startAgain() {
        next.clear();
        places.clear();
    }

    /** Returns how many records it has read. */
    long records() {
        return records;
    }

    /** Returns how many records it has dropped. */
    long duplicates() {
        return records - seen.size();
    }

    /** Returns where the events are that it has read, unless they were in a topic that was created again. */
    Map<UUID, Place> places() {
        return places;
    }

    private void read(ConsumerRecord<String, String> received, String handler) {
        records++;
        UUID eventId = UUID.fromString(attribute(received, "id"));
        if (!seen.add(eventId)) {
            return;
        }
        TopicPartition partition = new TopicPartition(received.topic(), received.partition());
        places.put(eventId, new Place(partition, received.offset()));
        String aggregateId = attribute(received, "subject");
        if (!aggregateId.equals(received.key())) {
            throw new IllegalStateException("The key is not the aggregate id in " + received);
        }
        facts.write(new Started(
                System.nanoTime(),
                facts.process(),
                handler,
                eventId,
                attribute(received, "aggregatetype"),
                aggregateId,
                Long.parseLong(attribute(received, "sequence")),
                1,
                received.value(),
                headers(received),
                false));
        facts.write(new Ended(System.nanoTime(), facts.process(), handler, eventId, 1, Outcome.SUCCEEDED));
    }

    private static Map<String, String> headers(ConsumerRecord<String, String> received) {
        Map<String, String> headers = new HashMap<>();
        for (Header header : received.headers()) {
            if (!header.key().startsWith(CLOUD_EVENT) && !OF_THE_FORMAT.contains(header.key())) {
                headers.put(header.key(), text(header));
            }
        }
        return headers;
    }

    private static String attribute(ConsumerRecord<String, String> received, String name) {
        Header header = received.headers().lastHeader(CLOUD_EVENT + name);
        return text(Objects.requireNonNull(header, () -> "There is no attribute " + name + " in " + received));
    }

    private static String text(Header header) {
        return new String(header.value(), StandardCharsets.UTF_8);
    }
}
