package dev.outbox.sample.recovery;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.Headers;
import dev.outbox.sample.events.RecoveryEvent;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Publishes the events of this context, with the guild in a header. */
@Component
final class RecoveryEvents {

    private final OutboxPublisher outbox;

    RecoveryEvents(OutboxPublisher outbox) {
        this.outbox = outbox;
    }

    /** Publishes in the transaction of the caller. */
    void publish(String aggregateType, UUID aggregateId, String guildId, RecoveryEvent event) {
        outbox.publish(
                OutboxEvent.of(aggregateType, aggregateId.toString(), event).withHeader(Headers.GUILD_ID, guildId));
    }
}
