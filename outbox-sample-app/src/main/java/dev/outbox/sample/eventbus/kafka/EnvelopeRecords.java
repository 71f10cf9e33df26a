package dev.outbox.sample.eventbus.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxMapper;
import dev.outbox.kafka.InboxRecordMapper;
import dev.outbox.kafka.KafkaRecordMapper;
import dev.outbox.sample.events.Envelope;
import dev.outbox.sample.events.Headers;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Records whose value is the {@link Envelope}. The aggregate, the order and other headers of an event stay record headers. */
@Component("envelopeRecords")
@ConditionalOnProperty(name = "sample.transport", havingValue = "kafka")
final class EnvelopeRecords implements KafkaRecordMapper, InboxRecordMapper {

    private final JsonMapper json;

    EnvelopeRecords(@OutboxMapper JsonMapper json) {
        this.json = json;
    }

    @Override
    public ProducerRecord<Object, Object> map(EventEnvelope event, ProducerRecord<Object, Object> proposed) {
        Map<String, String> headers = event.headers();
        byte[] envelope = json.writeValueAsBytes(new Envelope(
                event.schemaVersion(),
                event.eventId(),
                event.eventType(),
                event.occurredAt(),
                headers.get(EventEnvelope.TRACE_ID),
                headers.get(Headers.OWNER_ID),
                headers.get(Headers.STRATEGY_KEY),
                headers.get(Headers.MARKET),
                event.payload()));
        return new ProducerRecord<>(
                proposed.topic(),
                proposed.partition(),
                proposed.timestamp(),
                proposed.key(),
                envelope,
                proposed.headers());
    }

    @Override
    public OutboxEvent map(ConsumerRecord<byte[], byte[]> record) {
        JsonNode envelope = json.readTree(record.value());
        OutboxEvent event = OutboxEvent.of(
                        header(record, "ce_aggregatetype"), header(record, "ce_subject"), envelope.required("payload"))
                .withEventId(UUID.fromString(envelope.required("eventId").asString()))
                .withEventType(envelope.required("type").asString())
                .withSchemaVersion(envelope.required("schemaVersion").asInt())
                .occurredAt(Instant.parse(envelope.required("occurredAt").asString()))
                .withOrigin(header(record, "ce_source"))
                .withSequence(Long.parseLong(header(record, "ce_sequence")));
        for (Header header : record.headers()) {
            if (!header.key().startsWith("ce_") && !header.key().equals("content-type")) {
                event = event.withHeader(header.key(), new String(header.value(), UTF_8));
            }
        }
        return event;
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        Header header = record.headers().lastHeader(name);
        if (header == null) {
            throw new IllegalArgumentException("the record has no header " + name);
        }
        return new String(header.value(), UTF_8);
    }
}
