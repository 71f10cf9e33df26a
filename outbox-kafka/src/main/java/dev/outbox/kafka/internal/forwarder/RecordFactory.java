package dev.outbox.kafka.internal.forwarder;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.EventEnvelope;
import dev.outbox.kafka.KafkaRecordMapper;
import dev.outbox.kafka.internal.cloudevents.CloudEventHeaders;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Creates the record of an event in the binary mode of CloudEvents, and lets the application's mapper change it. */
public final class RecordFactory {

    private final String source;
    private final KafkaRecordMapper mapper;

    public RecordFactory(String source, KafkaRecordMapper mapper) {
        this.source = source;
        this.mapper = mapper;
    }

    /** Returns the record. Throws what the mapper throws. */
    ProducerRecord<Object, Object> create(Route route, EventEnvelope event) {
        ProducerRecord<Object, Object> proposed = new ProducerRecord<>(
                route.topic(),
                null,
                null,
                route.format().key().of(event),
                event.payload().getBytes(UTF_8),
                headers(route.format(), event));
        return Objects.requireNonNull(mapper.map(event, proposed), "the KafkaRecordMapper returned no record");
    }

    private Headers headers(Route.Format format, EventEnvelope event) {
        Headers headers = new RecordHeaders();
        add(headers, CloudEventHeaders.SPEC_VERSION, CloudEventHeaders.VERSION);
        add(headers, CloudEventHeaders.ID, event.eventId().toString());
        // The id of a received event is unique together with the source that gave it.
        add(headers, CloudEventHeaders.SOURCE, event.headers().getOrDefault(EventEnvelope.ORIGIN, source));
        add(headers, CloudEventHeaders.TYPE, event.eventType());
        add(headers, CloudEventHeaders.TIME, event.occurredAt().toString());
        add(headers, CloudEventHeaders.SUBJECT, event.aggregateId());
        add(headers, CloudEventHeaders.AGGREGATE_TYPE, event.aggregateType());
        add(headers, CloudEventHeaders.SEQUENCE, Long.toString(event.aggregateSeq()));
        add(headers, CloudEventHeaders.SCHEMA_VERSION, Integer.toString(event.schemaVersion()));
        add(headers, CloudEventHeaders.CONTENT_TYPE, CloudEventHeaders.JSON);
        event.headers().forEach((name, value) -> {
            boolean reserved = CloudEventHeaders.isAttribute(name) || name.equals(EventEnvelope.ORIGIN);
            if (!reserved && format.sends(name)) {
                add(headers, name, value);
            }
        });
        return headers;
    }

    private static void add(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(UTF_8));
    }
}
