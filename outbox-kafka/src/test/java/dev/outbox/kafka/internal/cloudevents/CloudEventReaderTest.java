package dev.outbox.kafka.internal.cloudevents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.NonRetryableException;
import dev.outbox.OutboxEvent;
import dev.outbox.kafka.fixture.TestRecord;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.util.RawValue;

class CloudEventReaderTest {

    private static final String TIME = "2026-01-02T03:04:05.123456Z";

    private final TestRecord record = TestRecord.of("7", 12);

    @Test
    void readsAllAttributes() {
        OutboxEvent event = new CloudEventReader()
                .map(record.with("traceparent", "00-1-2-01")
                        .with("ce_dataschema", "urn:order")
                        .at(0));

        assertThat(event.eventId()).isEqualTo(record.eventId());
        assertThat(event.origin()).isEqualTo("/shop");
        assertThat(event.eventType()).isEqualTo("OrderPlaced");
        assertThat(event.schemaVersion()).isEqualTo(3);
        assertThat(event.aggregateType() + event.aggregateId() + event.sequence())
                .isEqualTo("order712");
        assertThat(event.occurredAt()).isEqualTo(TIME);
        assertThat(((RawValue) event.payload()).rawValue()).isEqualTo("{\"number\": 1}");
        assertThat(event.headers())
                .containsOnlyKeys("traceparent", "ce_dataschema")
                .containsEntry("traceparent", "00-1-2-01");
    }

    @Test
    void readsTheHeadersOfACapturedRow() {
        OutboxEvent event = new CloudEventReader()
                .map(record.with(
                                "outbox_headers",
                                "{\"traceparent\": \"00-1-2-01\", \"tenant\": \"7\", \"ce_id\": \"8\"}")
                        .with("tenant", "explicit")
                        .at(0));

        assertThat(event.eventId()).isEqualTo(record.eventId());
        assertThat(event.headers())
                .containsExactlyInAnyOrderEntriesOf(Map.of("traceparent", "00-1-2-01", "tenant", "explicit"));
    }

    @Test
    void optionalAttributesHaveDefaults() {
        OutboxEvent event = new CloudEventReader()
                .map(record.without("ce_time")
                        .without("ce_schemaversion")
                        .without("content-type")
                        .at(0));

        assertThat(event.occurredAt()).isEqualTo(Instant.ofEpochMilli(TestRecord.TIMESTAMP));
        assertThat(event.schemaVersion()).isEqualTo(1);
    }

    @Test
    void timeMayHaveAnOffset() {
        OutboxEvent event = new CloudEventReader()
                .map(record.with("ce_time", "2026-01-02T12:04:05.123456+09:00").at(0));

        assertThat(event.occurredAt()).isEqualTo(TIME);
    }

    @Test
    void headersThatAreNoTextStayBehind() {
        ConsumerRecord<byte[], byte[]> binary =
                record.with("tenant", "é").with("zero", "a\0b").at(0);
        binary.headers().add("binary", new byte[] {(byte) 0xff, 1}).add("none", null);

        assertThat(new CloudEventReader().map(binary).headers())
                .containsOnlyKeys("tenant")
                .containsEntry("tenant", "é");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ce_specversion",
                "ce_id",
                "ce_source",
                "ce_type",
                "ce_subject",
                "ce_aggregatetype",
                "ce_sequence"
            })
    void missingAttributeIsNamed(String name) {
        assertRefused(record.without(name), "the record has no header " + name);
        assertRefused(record.with(name, " "), "the record has no header " + name);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ce_specversion | 0.3 | must be 1.0: '0.3'",
                "ce_id | 17 | must be a UUID: '17'",
                "ce_id | 1-1-1-1-1 | must be a UUID: '1-1-1-1-1'",
                "ce_sequence | twelve | must be a whole number: 'twelve'",
                "ce_sequence | -1 | must be at least 0: '-1'",
                "ce_sequence | 9223372036854775808 | must be a whole number",
                "ce_schemaversion | v2 | must be a whole number: 'v2'",
                "ce_time | yesterday | must be a time with an offset",
                "ce_time | 2026-01-02T03:04:05 | must be a time with an offset",
                "content-type | text/plain | must be application/json: 'text/plain'",
                "outbox_headers | Struct{tenant=7} | must be a JSON object of texts: 'Struct{tenant=7}'",
                "outbox_headers | ['7'] | must be a JSON object of texts: '['7']'"
            })
    void unreadableAttributeIsQuoted(String name, String text, String message) {
        assertRefused(record.with(name, text), "the header " + name + " " + message);
    }

    @Test
    void structuredModeIsRefused() {
        assertRefused(
                record.with("content-type", "application/cloudevents+json; charset=UTF-8"),
                "the structured mode of CloudEvents, which is not supported");
    }

    @Test
    void valueMustBeText() {
        assertRefused(record.withValue(null), "the record has no value");
        assertThatThrownBy(() -> new CloudEventReader()
                        .map(new TestRecord("7", record.headers(), new byte[] {'"', (byte) 0xc3, '"'}).at(0)))
                .isInstanceOf(NonRetryableException.class)
                .hasMessage("the value of the record is not UTF-8");
    }

    private static void assertRefused(TestRecord changed, String message) {
        assertThatThrownBy(() -> new CloudEventReader().map(changed.at(0)))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining(message);
    }
}
