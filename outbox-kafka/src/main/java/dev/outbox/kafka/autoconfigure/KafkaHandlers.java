package dev.outbox.kafka.autoconfigure;

import dev.outbox.CircuitBreaker;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.Source;
import dev.outbox.OnDead;
import dev.outbox.internal.dispatch.SingleFailures;
import dev.outbox.kafka.internal.forwarder.Route;
import dev.outbox.kafka.internal.inbox.Inbox;
import dev.outbox.kafka.internal.inbox.InboxSettings;
import dev.outbox.kafka.internal.inbox.Inboxes;
import dev.outbox.kafka.internal.inbox.StoredRecord;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.core.env.Environment;

/**
 * Registers a batch handler for each route, so that it is paused, replayed and monitored like any handler, and a handler for each inbox,
 * which gets the records that were refused or held back.
 */
final class KafkaHandlers implements BeanRegistrar {

    /** Prefixes of the names of the beans. */
    static final String ROUTE = "outboxKafkaRoute.";

    static final String INBOX = "outboxKafkaInbox.";

    private static final int BATCH_SIZE = 500;
    private static final CircuitBreaker CIRCUIT = new CircuitBreaker(5, Duration.ofSeconds(5));

    @Override
    public void register(BeanRegistry registry, Environment environment) {
        for (String name : OnNames.names(environment, ConfiguredRoutes.PREFIX)) {
            register(
                    registry,
                    ROUTE + name,
                    (context) ->
                            route(name, context.bean(ForwarderLifecycle.class).named(name)));
        }
        for (String name : OnNames.names(environment, ConfiguredInboxes.PREFIX)) {
            register(
                    registry,
                    INBOX + name,
                    (context) -> inbox(name, context.bean(Inboxes.class).all().get(name)));
        }
    }

    private static void register(
            BeanRegistry registry, String bean, Function<BeanRegistry.SupplierContext, HandlerDefinition> definition) {
        registry.registerBean(bean, HandlerDefinition.class, (spec) -> spec.supplier(definition));
    }

    /** A route exists for the order of its events, so they wait behind a dead letter. */
    private static HandlerDefinition route(String name, ForwarderLifecycle.Named named) {
        Route route = named.route();
        HandlerDefinition handler = HandlerDefinition.ofBatch(
                        Route.HANDLER + name,
                        route.eventTypes().isEmpty() ? Set.of(HandlerDefinition.ALL_EVENT_TYPES) : route.eventTypes(),
                        null,
                        named.handler())
                .ofAggregateTypes(route.aggregateTypes().toArray(String[]::new))
                .inStreams(route.streams().toArray(String[]::new))
                .received(route.forwardReceived() ? Source.ANY : Source.OWN)
                .batchSize(BATCH_SIZE)
                .circuit(CIRCUIT)
                .onDead(OnDead.BLOCK)
                .aliases(prefixed(Route.HANDLER, route.aliases()));
        return SingleFailures.markedOn(handler);
    }

    /** Behind a record that was held back for too long, the later ones of its aggregate wait. */
    private static HandlerDefinition inbox(String name, @Nullable Inbox inbox) {
        if (inbox == null) {
            throw ConfiguredInboxes.withoutTopics(name);
        }
        HandlerDefinition handler = HandlerDefinition.of(
                        inbox.handlerId(),
                        Set.of(StoredRecord.TYPE),
                        (EventEnvelope envelope) -> inbox.handler().handle(envelope))
                .deduplicating()
                .aliases(prefixed(InboxSettings.HANDLER, inbox.settings().aliases()));
        return inbox.settings().holdsGaps() ? handler.onDead(OnDead.BLOCK) : handler;
    }

    private static String[] prefixed(String prefix, List<String> names) {
        return names.stream().map(prefix::concat).toArray(String[]::new);
    }
}
