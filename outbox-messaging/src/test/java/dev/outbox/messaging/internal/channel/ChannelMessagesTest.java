package dev.outbox.messaging.internal.channel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.messaging.Message;

class ChannelMessagesTest {

    private final ChannelMessages messages = TestEvents.messages(Confirmation.SYNCHRONOUS, Duration.ZERO);

    @Test
    void messageHasPayloadAttributesAndGroup() {
        EventEnvelope event = TestEvents.event("a1", Map.of("traceparent", "00-1"));

        Message<?> message = messages.apply(event).message();

        assertThat(message.getPayload()).isEqualTo("\"a1\"");
        Map<String, Object> headers = new HashMap<>(message.getHeaders());
        assertThat(headers.keySet()).contains("id", "timestamp");
        headers.keySet().removeAll(Set.of("id", "timestamp"));
        assertThat(headers)
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("ce_specversion", "1.0"),
                        Map.entry("ce_id", event.eventId().toString()),
                        Map.entry("ce_source", "/shop"),
                        Map.entry("ce_type", "OrderPlaced"),
                        Map.entry("ce_time", "2026-03-01T12:00:00.123456Z"),
                        Map.entry("ce_subject", "a"),
                        Map.entry("ce_aggregatetype", "Order"),
                        Map.entry("ce_sequence", "1"),
                        Map.entry("ce_schemaversion", "2"),
                        Map.entry("contentType", "application/json"),
                        Map.entry("JMSXGroupID", "a"),
                        Map.entry("traceparent", "00-1")));
    }

    @Test
    void messageToAcknowledgeNamesItsDelivery() {
        EventEnvelope event = TestEvents.event("a1", Map.of());

        assertThat(TestEvents.messages(Confirmation.ACKNOWLEDGEMENT, Duration.ZERO)
                        .apply(event)
                        .message()
                        .getHeaders())
                .containsEntry("outbox_delivery", "orders:" + event.eventId());
    }

    @Test
    void headersOfEventNeitherSteerSpringNorReplaceAttributes() {
        Message<?> message = messages.apply(TestEvents.event(
                        "a1",
                        Map.of(
                                "replyChannel", "nullChannel",
                                "errorChannel", "nullChannel",
                                "outbox_delivery", "orders:1",
                                "ce_type", "OrderCancelled",
                                "JMSXGroupID", "b",
                                "id", "1")))
                .message();

        assertThat(message.getHeaders())
                .doesNotContainKeys("replyChannel", "errorChannel", "outbox_delivery")
                .containsEntry("ce_type", "OrderPlaced")
                .containsEntry("JMSXGroupID", "a");
        assertThat(message.getHeaders().getId()).isNotNull();
    }

    @Test
    void receivedEventKeepsItsSource() {
        assertThat(messages.apply(TestEvents.event("a1", Map.of(EventEnvelope.ORIGIN, "/billing")))
                        .message()
                        .getHeaders())
                .containsEntry("ce_source", "/billing")
                .doesNotContainKey(EventEnvelope.ORIGIN);
    }
}
