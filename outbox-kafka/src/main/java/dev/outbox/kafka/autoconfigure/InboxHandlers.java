package dev.outbox.kafka.autoconfigure;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OnDead;
import dev.outbox.forwarding.autoconfigure.OnNames;
import dev.outbox.kafka.internal.inbox.Inbox;
import dev.outbox.kafka.internal.inbox.InboxSettings;
import dev.outbox.kafka.internal.inbox.Inboxes;
import dev.outbox.kafka.internal.inbox.StoredRecord;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.core.env.Environment;

/** Registers a handler for each inbox, which gets the records that were refused or held back. */
final class InboxHandlers implements BeanRegistrar {

    /** Prefix of the names of the beans. */
    static final String BEAN = "outboxKafkaInbox.";

    @Override
    public void register(BeanRegistry registry, Environment environment) {
        for (String name : OnNames.names(environment, ConfiguredInboxes.PREFIX)) {
            registry.registerBean(
                    BEAN + name,
                    HandlerDefinition.class,
                    (spec) -> spec.supplier((context) ->
                            handler(name, context.bean(Inboxes.class).all().get(name))));
        }
    }

    /** Behind a record that was held back for too long, the later ones of its aggregate wait. */
    private static HandlerDefinition handler(String name, @Nullable Inbox inbox) {
        if (inbox == null) {
            throw ConfiguredInboxes.withoutTopics(name);
        }
        HandlerDefinition handler = HandlerDefinition.of(
                        inbox.handlerId(),
                        Set.of(StoredRecord.TYPE),
                        (EventEnvelope envelope) -> inbox.handler().handle(envelope))
                .deduplicating()
                .aliases(inbox.settings().aliases().stream()
                        .map(InboxSettings.HANDLER::concat)
                        .toArray(String[]::new));
        return inbox.settings().holdsGaps() ? handler.onDead(OnDead.BLOCK) : handler;
    }
}
