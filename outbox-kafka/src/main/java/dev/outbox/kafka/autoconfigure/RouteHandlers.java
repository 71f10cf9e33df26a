package dev.outbox.kafka.autoconfigure;

import dev.outbox.CircuitBreaker;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.Source;
import dev.outbox.kafka.internal.forwarder.ForwardingHandler;
import dev.outbox.kafka.internal.forwarder.RecordFactory;
import dev.outbox.kafka.internal.forwarder.RecordSender;
import dev.outbox.kafka.internal.forwarder.Route;
import dev.outbox.kafka.internal.forwarder.RouteFaults;
import dev.outbox.kafka.internal.forwarder.Routes;
import dev.outbox.kafka.internal.forwarder.Selector;
import java.time.Duration;
import java.util.Set;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.core.env.Environment;

/** Registers one batch handler for each route, so that a route is paused, replayed and monitored like any handler. */
final class RouteHandlers implements BeanRegistrar {

    private static final int BATCH_SIZE = 500;
    private static final CircuitBreaker CIRCUIT = new CircuitBreaker(5, Duration.ofSeconds(5));

    @Override
    public void register(BeanRegistry registry, Environment environment) {
        for (String name : OnRoutes.names(environment)) {
            registry.registerBean(
                    "outboxKafkaRoute." + name,
                    HandlerDefinition.class,
                    (spec) -> spec.supplier((context) -> define(
                            name,
                            context.bean(Routes.class),
                            context.bean(RecordFactory.class),
                            context.bean(RecordSender.class),
                            context.bean(RouteFaults.class))));
        }
    }

    private static HandlerDefinition define(
            String name, Routes routes, RecordFactory records, RecordSender sender, RouteFaults faults) {
        Route route = routes.named(name);
        Selector selector = route.selector();
        return HandlerDefinition.ofBatch(
                        route.handlerId(),
                        selector.eventTypes().isEmpty()
                                ? Set.of(HandlerDefinition.ALL_EVENT_TYPES)
                                : selector.eventTypes(),
                        null,
                        new ForwardingHandler(route, records, sender, faults))
                .ofAggregateTypes(selector.aggregateTypes().toArray(String[]::new))
                .inStreams(selector.streams().toArray(String[]::new))
                .received(route.forwardReceived() ? Source.ANY : Source.OWN)
                .batchSize(BATCH_SIZE)
                .circuit(CIRCUIT);
    }
}
