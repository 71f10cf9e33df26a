package dev.outbox.forwarding.autoconfigure;

import dev.outbox.CircuitBreaker;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.Source;
import dev.outbox.OnDead;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.dispatch.SingleFailures;
import java.time.Duration;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.core.env.Environment;

/** Registers a batch handler for each route to a broker, so that it is paused, replayed and monitored like any handler. */
public abstract class RouteHandlers implements BeanRegistrar {

    private static final int BATCH_SIZE = 500;
    private static final CircuitBreaker CIRCUIT = new CircuitBreaker(5, Duration.ofSeconds(5));

    private final Broker broker;

    protected RouteHandlers(Broker broker) {
        this.broker = broker;
    }

    @Override
    public final void register(BeanRegistry registry, Environment environment) {
        for (String name : OnNames.names(environment, broker.routes())) {
            registry.registerBean(
                    broker.bean(name),
                    HandlerDefinition.class,
                    (spec) -> spec.supplier((context) -> handler(
                            name,
                            context.bean(broker.lifecycle(), RouteLifecycle.class)
                                    .route(name))));
        }
    }

    /** A route exists for the order of its events, so they wait behind a dead letter. */
    private HandlerDefinition handler(String name, RouteLifecycle.Route route) {
        RouteSettings settings = route.settings();
        HandlerDefinition handler = HandlerDefinition.ofBatch(
                        broker.handler(name),
                        settings.eventTypes().isEmpty()
                                ? Set.of(HandlerDefinition.ALL_EVENT_TYPES)
                                : settings.eventTypes(),
                        null,
                        route.handler())
                .ofAggregateTypes(settings.aggregateTypes().toArray(String[]::new))
                .inStreams(settings.streams().toArray(String[]::new))
                .received(settings.forwardReceived() ? Source.ANY : Source.OWN)
                .batchSize(BATCH_SIZE)
                .circuit(CIRCUIT)
                .onDead(OnDead.BLOCK)
                .aliases(settings.aliases().stream().map(broker::handler).toArray(String[]::new));
        return SingleFailures.markedOn(handler);
    }

    /** Fails the start of an application that has routes but not the library that they send with: no event would wait for them. */
    public static BeanFactoryPostProcessor withoutLibrary(Broker broker, String library, String dependency) {
        return (beans) -> {
            throw new OutboxConfigurationException(
                    broker.routes() + " needs " + library + ", which this application does not have",
                    "add " + dependency,
                    null);
        };
    }

    /** Fails the start if the beans of the given routes were not registered, because they were unknown at build time. */
    public static void require(BeanFactory beans, Broker broker, Set<String> routes) {
        routes.forEach((name) -> require(beans, broker.bean(name), broker.property(name)));
    }

    /** Fails the start if the handler of a property was not registered, because the property was unknown at build time. */
    public static void require(BeanFactory beans, String bean, String property) {
        if (!beans.containsBean(bean)) {
            throw new OutboxConfigurationException(
                    property + " was not set when this application was processed ahead of"
                            + " time, so it has no handler here. Set it for that build too");
        }
    }
}
