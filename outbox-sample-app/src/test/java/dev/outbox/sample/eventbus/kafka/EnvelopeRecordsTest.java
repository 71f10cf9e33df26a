package dev.outbox.sample.eventbus.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.sample.Envelopes;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class EnvelopeRecordsTest {

    private final JsonMapper json = new JsonMapper();
    private final EnvelopeRecords mapper = new EnvelopeRecords(json);

    @Test
    void valueIsTheEnvelopeOfTheDocument() {
        EventEnvelope event = event();

        assertThat(json.readTree((byte[]) sent(event).value()))
                .isEqualTo(json.readTree("""
                        {"schemaVersion": 1, "eventId": "%s", "type": "OrderAccepted", "occurredAt": "2026-04-13T00:15:00Z",
                         "traceId": "trace-1", "ownerId": "ann", "strategyKey": "EXTREME_FLIP", "market": "KRW-BTC",
                         "payload": {"orderIntentId": "7"}}
                        """.formatted(event.eventId())));
    }

    @Test
    void inboxReadsWhatTheRouteSends() {
        EventEnvelope event = event();
        ProducerRecord<Object, Object> sent = sent(event);

        OutboxEvent received = mapper.map(new ConsumerRecord<>(
                "topic",
                0,
                0,
                0,
                TimestampType.CREATE_TIME,
                0,
                0,
                null,
                (byte[]) sent.value(),
                sent.headers(),
                Optional.empty()));

        assertThat(received)
                .usingRecursiveComparison()
                .isEqualTo(OutboxEvent.of("order", "42", json.readTree(event.payload()))
                        .withEventId(event.eventId())
                        .withEventType("OrderAccepted")
                        .withSchemaVersion(1)
                        .occurredAt(event.occurredAt())
                        .withOrigin("/worker")
                        .withSequence(3)
                        .withHeader("traceId", "trace-1")
                        .withHeader("ownerId", "ann")
                        .withHeader("strategyKey", "EXTREME_FLIP")
                        .withHeader("market", "KRW-BTC"));
    }

    private static EventEnvelope event() {
        return Envelopes.of(
                "order",
                "42",
                3,
                "OrderAccepted",
                "{\"orderIntentId\": \"7\"}",
                Map.of("traceId", "trace-1", "ownerId", "ann", "strategyKey", "EXTREME_FLIP", "market", "KRW-BTC"));
    }

    /** Proposes the record that a route would send. */
    private ProducerRecord<Object, Object> sent(EventEnvelope event) {
        ProducerRecord<Object, Object> proposed = new ProducerRecord<>(
                "topic", null, 0L, event.aggregateId(), event.payload().getBytes(UTF_8));
        Map.of("ce_aggregatetype", "order", "ce_subject", "42", "ce_source", "/worker", "ce_sequence", "3")
                .forEach((name, value) -> proposed.headers().add(name, value.getBytes(UTF_8)));
        event.headers().forEach((name, value) -> proposed.headers().add(name, value.getBytes(UTF_8)));
        return mapper.map(event, proposed);
    }
}
