package dev.outbox.kafka.internal.forwarder;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.EventEnvelope;
import dev.outbox.forwarding.internal.CloudEvents;
import dev.outbox.kafka.KafkaRecordMapper;
import dev.outbox.kafka.internal.cloudevents.CloudEventHeaders;
import java.time.Clock;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Creates the records of a route in the binary mode of CloudEvents, and lets the application's mapper change them. */
public record RecordFactory(String source, Route route, KafkaRecordMapper mapper, Clock clock)
        implements Function<EventEnvelope, ProducerRecord<Object, Object>> {

    /** Returns the record. Throws what the mapper throws. */
    @Override
    public ProducerRecord<Object, Object> apply(EventEnvelope event) {
        ProducerRecord<Object, Object> proposed = new ProducerRecord<>(
                route.topicOf(event),
                null,
                timestamp(event),
                event.aggregateId(),
                event.payload().getBytes(UTF_8),
                headers(event));
        return Objects.requireNonNull(mapper.map(event, proposed), "the KafkaRecordMapper returned no record");
    }

    /** Kafka refuses a record from before 1970 or from the future. */
    private long timestamp(EventEnvelope event) {
        return Math.max(0, Math.min(event.occurredAt().toEpochMilli(), clock.millis()));
    }

    private Headers headers(EventEnvelope event) {
        Map<String, String> values = CloudEvents.headers(event, source, CloudEventHeaders.PREFIX);
        values.put(CloudEventHeaders.CONTENT_TYPE, CloudEvents.JSON);
        values.remove(CloudEventHeaders.OUTBOX_HEADERS);
        Headers headers = new RecordHeaders();
        values.forEach((name, value) -> headers.add(name, value.getBytes(UTF_8)));
        return headers;
    }
}
