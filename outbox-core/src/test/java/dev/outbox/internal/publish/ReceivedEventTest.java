package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.TestOutbox;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.util.RawValue;

/** Events of another service are stored as they were received. */
class ReceivedEventTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @EventType(version = 2)
    record OrderImported(int number) {}

    @Test
    void schemaVersionPrecedesTheAnnotation() {
        OutboxEvent event = OutboxEvent.of("order", "1", new OrderImported(7));

        assertThat(outbox.publish(event).schemaVersion()).isEqualTo(2);
        assertThat(outbox.publish(event.withSchemaVersion(7)).schemaVersion()).isEqualTo(7);
        assertThat(outbox.values(Integer.class, "SELECT schema_version FROM events.outbox ORDER BY id"))
                .containsExactly(2, 7);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"amount\": 1.10, \"large\": 12345678901234567890.123, \"exact\": 0.1000000000000000055511151231257827}",
                "[1, \"a\\u00e9\", null, {\"b\": 100000000000000000000000000000001}]",
                "\"text\"",
                "{}"
            })
    void jsonTextIsStoredAsItIs(String json) {
        EventEnvelope stored =
                outbox.publish(raw(json).withEventId(UUID.randomUUID()).withSequence(1));

        assertThat(stored.payload()).isEqualTo(json);
        assertThat(outbox.value(
                        Boolean.class,
                        "SELECT payload::text = ?::jsonb::text FROM events.outbox WHERE event_id = ?",
                        json,
                        stored.eventId()))
                .isTrue();
    }

    @Test
    void originIsAHeader() {
        EventEnvelope stored = outbox.publish(imported("partner/order", "/shop").withHeader("tenant", "blue"));

        assertThat(stored.headers())
                .containsExactlyInAnyOrderEntriesOf(Map.of(EventEnvelope.ORIGIN, "/shop", "tenant", "blue"));
        assertThat(outbox.values(
                        String.class,
                        "SELECT aggregate_type || ' ' || counted || ' ' || origin FROM events.outbox_aggregate_type"))
                .containsExactly("partner/order true /shop");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "own",
            value = {
                "own, /shop, from /shop, this service",
                "/shop, own, from this service, from /shop",
                "/shop, /hub, from /hub, from /shop"
            })
    void aggregateTypeHasOneOwner(@Nullable String first, @Nullable String second, String refused, String owner) {
        outbox.publish(imported("order", first));

        for (TestOutbox instance : List.of(outbox, outbox.another())) {
            assertThatThrownBy(() -> instance.publish(imported("order", second)))
                    .isInstanceOf(InvalidEventException.class)
                    .hasMessageContaining("OrderImported of order/1 comes " + refused)
                    .hasMessageContaining(owner)
                    .hasMessageContaining("an aggregate type has one owner");
        }
        assertThat(outbox.publish(imported("order", first)).sequence()).isEqualTo(2);
    }

    private static OutboxEvent imported(String aggregateType, @Nullable String origin) {
        OutboxEvent event = OutboxEvent.of(aggregateType, "1", new OrderImported(7));
        return origin == null ? event : event.withOrigin(origin);
    }

    private static OutboxEvent raw(String json) {
        return OutboxEvent.of("order", "1", new RawValue(json)).withEventType("OrderImported");
    }
}
