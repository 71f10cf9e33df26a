package dev.outbox.kafka.autoconfigure;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OnDead;
import dev.outbox.kafka.internal.inbox.Inbox;
import dev.outbox.kafka.internal.inbox.StoredRecord;
import java.util.Set;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.core.env.Environment;

/** Registers one handler for each inbox, which gets the records that were refused or held back. */
final class InboxHandlers implements BeanRegistrar {

    @Override
    public void register(BeanRegistry registry, Environment environment) {
        for (String name : OnInboxes.names(environment)) {
            registry.registerBean(
                    "outboxKafkaInbox." + name,
                    HandlerDefinition.class,
                    (spec) -> spec.supplier(
                            (context) -> define(context.bean(Inboxes.class).named(name))));
        }
    }

    /** Behind a record that was held back for too long, the later ones of its aggregate wait. */
    private static HandlerDefinition define(Inbox inbox) {
        HandlerDefinition handler = HandlerDefinition.of(
                        inbox.settings().handlerId(),
                        Set.of(StoredRecord.TYPE),
                        (EventEnvelope envelope) -> inbox.handler().handle(envelope))
                .deduplicating();
        return inbox.settings().rules().gapTimeout() == null ? handler : handler.onDead(OnDead.BLOCK);
    }
}
