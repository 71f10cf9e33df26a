package dev.outbox.kafka.internal.inbox;

import dev.outbox.OutboxEvent;
import dev.outbox.kafka.InboxRecordMapper;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The example of the documentation. */
final class LegacyOrders {

    @Bean
    InboxRecordMapper legacyOrders(JsonMapper json) {
        return (record) -> {
            if (record.value() == null) {
                return null;
            }
            JsonNode order = json.readTree(record.value());
            return OutboxEvent.of("order", order.get("id").asString(), order).withEventType("OrderPlaced");
        };
    }
}
