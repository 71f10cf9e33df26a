package dev.outbox.sample.eventbus.outbox;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.eventbus.EventBus;
import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.eventbus.Origin;
import dev.outbox.sample.events.Headers;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Stores messages in the outbox, with the origin in headers. */
@Component
final class PostgresOutboxEventBus implements EventBus {

    private final OutboxPublisher outbox;

    PostgresOutboxEventBus(OutboxPublisher outbox) {
        this.outbox = outbox;
    }

    @Override
    public void publish(Message message) {
        Origin origin = message.origin();
        OutboxEvent event = OutboxEvent.of(message.aggregateType(), message.aggregateId(), message.payload())
                .inStream(message.stream())
                .withHeader(Headers.OWNER_ID, origin.ownerId());
        event = withHeader(event, Headers.STRATEGY_KEY, origin.strategyKey());
        event = withHeader(event, Headers.MARKET, origin.market());
        outbox.publish(event);
    }

    private static OutboxEvent withHeader(OutboxEvent event, String name, @Nullable String value) {
        return value == null ? event : event.withHeader(name, value);
    }
}
