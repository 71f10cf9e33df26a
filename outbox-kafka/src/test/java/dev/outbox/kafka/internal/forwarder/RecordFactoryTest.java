package dev.outbox.kafka.internal.forwarder;

import static dev.outbox.kafka.internal.forwarder.TestEvents.event;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.outbox.EventEnvelope;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class RecordFactoryTest {

    private static final Map<String, String> HEADERS = Map.of(
            "traceparent",
            "00-01-02-01",
            "tenant",
            "Žižkov",
            "ce_id",
            "7",
            "content-type",
            "text/plain",
            "baggage",
            "user=7",
            "outbox_headers",
            "{}");

    private static final Instant NOW = TestEvents.TIME.plusSeconds(60);

    private static ProducerRecord<Object, Object> create(Route route, EventEnvelope event) {
        return new RecordFactory("/shop", route, (ignored, proposed) -> proposed, Clock.fixed(NOW, ZoneOffset.UTC))
                .apply(event);
    }

    @Test
    void recordDescribesEventInBinaryModeOfCloudEvents() {
        EventEnvelope event = event("a7", "OrderPlaced", HEADERS);
        ProducerRecord<Object, Object> record = create(TestEvents.orders(), event);

        assertThat(record.topic()).isEqualTo("orders");
        assertThat(record.partition()).isNull();
        assertThat(record.key()).isEqualTo("a");
        assertThat(record.value()).isEqualTo("\"a7\"".getBytes(UTF_8));
        assertThat(headers(record))
                .containsOnly(
                        entry("ce_specversion", "1.0"),
                        entry("ce_id", event.eventId().toString()),
                        entry("ce_source", "/shop"),
                        entry("ce_type", "OrderPlaced"),
                        entry("ce_time", "2026-03-01T12:00:00.123456Z"),
                        entry("ce_subject", "a"),
                        entry("ce_aggregatetype", "Order"),
                        entry("ce_sequence", "7"),
                        entry("ce_schemaversion", "2"),
                        entry("content-type", "application/json"),
                        entry("traceparent", "00-01-02-01"),
                        entry("tenant", "Žižkov"),
                        entry("baggage", "user=7"));
    }

    @Test
    void receivedEventKeepsItsSource() {
        EventEnvelope received = event("a7", "OrderPlaced", Map.of(EventEnvelope.ORIGIN, "/warehouse"));

        ProducerRecord<Object, Object> record = create(TestEvents.orders(), received);

        assertThat(headers(record)).containsEntry("ce_source", "/warehouse").doesNotContainKey(EventEnvelope.ORIGIN);
    }

    @Test
    void recordHasTheTimeOfItsEvent() {
        EventEnvelope event = event("a7");

        assertThat(create(TestEvents.orders(), event).timestamp()).isEqualTo(TestEvents.TIME.toEpochMilli());
        assertThat(new RecordFactory(
                                "/shop",
                                TestEvents.orders(),
                                (ignored, proposed) -> proposed,
                                Clock.fixed(Instant.EPOCH.plusSeconds(1), ZoneOffset.UTC))
                        .apply(event)
                        .timestamp())
                .as("Kafka refuses records from the future")
                .isEqualTo(1000);
    }

    @Test
    void topicMayDependOnTheAggregateType() {
        Route route = TestEvents.route("shop.{aggregateType}");

        assertThat(create(route, event("a7")).topic()).isEqualTo("shop.Order");
    }

    private static Map<String, String> headers(ProducerRecord<?, ?> record) {
        Map<String, String> headers = new LinkedHashMap<>();
        record.headers()
                .forEach((header) -> assertThat(headers.put(header.key(), new String(header.value(), UTF_8)))
                        .as("header %s once", header.key())
                        .isNull());
        return headers;
    }
}
