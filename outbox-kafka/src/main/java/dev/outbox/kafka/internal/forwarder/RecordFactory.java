package dev.outbox.kafka.internal.forwarder;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.EventEnvelope;
import dev.outbox.kafka.KafkaRecordMapper;
import dev.outbox.kafka.internal.cloudevents.CloudEventHeaders;
import java.time.Clock;
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
        Headers headers = new RecordHeaders();
        add(headers, CloudEventHeaders.SPEC_VERSION, CloudEventHeaders.VERSION);
        add(headers, CloudEventHeaders.ID, event.eventId().toString());
        // The id of a received event is unique together with the source that gave it.
        add(headers, CloudEventHeaders.SOURCE, event.headers().getOrDefault(EventEnvelope.ORIGIN, source));
        add(headers, CloudEventHeaders.TYPE, event.eventType());
        add(headers, CloudEventHeaders.TIME, event.occurredAt().toString());
        add(headers, CloudEventHeaders.SUBJECT, event.aggregateId());
        add(headers, CloudEventHeaders.AGGREGATE_TYPE, event.aggregateType());
        add(headers, CloudEventHeaders.SEQUENCE, Long.toString(event.sequence()));
        add(headers, CloudEventHeaders.SCHEMA_VERSION, Integer.toString(event.schemaVersion()));
        add(headers, CloudEventHeaders.CONTENT_TYPE, CloudEventHeaders.JSON);
        event.headers().forEach((name, value) -> {
            if (!CloudEventHeaders.isAttribute(name) && !name.equals(EventEnvelope.ORIGIN)) {
                add(headers, name, value);
            }
        });
        return headers;
    }

    private static void add(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(UTF_8));
    }
}
