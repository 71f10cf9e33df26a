package dev.outbox.forwarding.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CloudEventsTest {

    private static final UUID ID = UUID.fromString("00000000-0000-0000-0000-000000000001");

    @Test
    void attributesHavePrefixAndPrecedeHeadersOfEvent() {
        Map<String, String> headers = CloudEvents.headers(event(Map.of("tenant", "acme")), "/shop", "ce_");

        assertThat(headers)
                .containsExactly(
                        Map.entry("ce_specversion", "1.0"),
                        Map.entry("ce_id", ID.toString()),
                        Map.entry("ce_source", "/shop"),
                        Map.entry("ce_type", "OrderPlaced"),
                        Map.entry("ce_time", "1970-01-01T00:00:00Z"),
                        Map.entry("ce_subject", "a"),
                        Map.entry("ce_aggregatetype", "Order"),
                        Map.entry("ce_sequence", "7"),
                        Map.entry("ce_schemaversion", "2"),
                        Map.entry("tenant", "acme"));
    }

    @Test
    void headerOfEventReplacesNoAttribute() {
        assertThat(CloudEvents.headers(event(Map.of("cloudEvents:id", "1")), "/shop", "cloudEvents:"))
                .containsEntry("cloudEvents:id", ID.toString());
    }

    @Test
    void receivedEventKeepsItsSource() {
        assertThat(CloudEvents.headers(event(Map.of(EventEnvelope.ORIGIN, "/warehouse")), "/shop", "ce_"))
                .containsEntry("ce_source", "/warehouse")
                .doesNotContainKey(EventEnvelope.ORIGIN);
    }

    private static EventEnvelope event(Map<String, String> headers) {
        return new EventEnvelope(
                1, ID, "default", "Order", "a", 7, "OrderPlaced", 2, "{}", headers, Instant.EPOCH, false);
    }
}
