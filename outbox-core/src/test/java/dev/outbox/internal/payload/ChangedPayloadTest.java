package dev.outbox.internal.payload;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.TestOutbox;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** A publisher that has changed a payload, as its old consumers see it. */
class ChangedPayloadTest {

    record OrderShipped(String carrier, @Nullable String note) {}

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of("dev.outbox.internal.payload");

    private final List<Object> handled = new CopyOnWriteArrayList<>();

    @Test
    void renamedFieldIsDeadLetterForTypedHandlersOnly() {
        outbox.handler(typed("typed"))
                .handler(HandlerDefinition.of(
                        "tree",
                        Set.of("OrderShipped"),
                        JsonNode.class,
                        (event, envelope) -> handled.add(event.get("shipper").asString())))
                .handler("raw", "OrderShipped", (envelope) -> handled.add(envelope.eventType()))
                .retry(TestOutbox.AT_ONCE)
                .start();

        EventEnvelope renamed = publish("1", Map.of("shipper", "secret", "note", "fragile"));

        assertThat(outbox.event(renamed)).becomesDead();
        assertThat(handled).containsExactlyInAnyOrder("secret", "OrderShipped");
        Map<String, Object> delivery = outbox.sql()
                .sql("SELECT handler_id, retry_count, last_error_code, last_error FROM events.outbox_delivery")
                .query()
                .singleRow();
        assertThat(delivery)
                .containsEntry("handler_id", "typed")
                .containsEntry("retry_count", 1)
                .containsEntry("last_error_code", "PAYLOAD_MISMATCH");
        assertThat(String.valueOf(delivery.get("last_error")))
                .contains(OrderShipped.class.getName(), "'carrier'", "'shipper'", "@JsonAlias", "@JsonIgnoreProperties")
                .doesNotContain("secret");
    }

    @Test
    void missingFieldIsDeliveredWithOneWarningPerHandler() {
        outbox.handler(typed("one")).handler(typed("two")).start();
        publish("1", Map.of("note", "secret"));
        EventEnvelope last = publish("1", Map.of("note", "secret"));

        assertThat(outbox.event(last)).becomesPublished();
        assertThat(handled).hasSize(4).containsOnly(new OrderShipped(null, "secret"));
        assertThat(log.messages())
                .hasSize(2)
                .allSatisfy((line) -> assertThat(line)
                        .contains("'carrier'", OrderShipped.class.getName(), "@Nullable")
                        .doesNotContain("secret"))
                .anySatisfy((line) -> assertThat(line).startsWith("one "))
                .anySatisfy((line) -> assertThat(line).startsWith("two "));
    }

    private HandlerDefinition typed(String id) {
        return HandlerDefinition.of(id, OrderShipped.class, (event, envelope) -> handled.add(event));
    }

    private EventEnvelope publish(String aggregateId, Map<String, Object> payload) {
        return outbox.publish(OutboxEvent.of("order", aggregateId, payload).withEventType("OrderShipped"));
    }
}
