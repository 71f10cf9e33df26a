package dev.outbox.forwarding.autoconfigure;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.internal.EventMapping;
import dev.outbox.forwarding.internal.ForwardingHandler;
import dev.outbox.forwarding.internal.MessageTarget;
import dev.outbox.forwarding.internal.RouteFaults;
import dev.outbox.forwarding.internal.Sender;
import dev.outbox.forwarding.internal.ServiceSource;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.spring.internal.HealthDetails;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/** Creates the routes to the brokers, and reports those that fail. */
public final class Forwarding implements HealthDetails {

    private static final String SOURCE = "outbox.forwarding.source";

    private final OutboxForwardingProperties properties;
    private final RuntimeSettings settings;
    private final OutboxDependencies dependencies;
    private final String applicationName;
    private final EventMapping mapping;
    private final List<RouteFaults> faults = new CopyOnWriteArrayList<>();

    public Forwarding(
            OutboxForwardingProperties properties,
            RuntimeSettings settings,
            OutboxDependencies dependencies,
            String applicationName,
            EventMapping mapping) {
        this.properties = properties;
        this.settings = settings;
        this.dependencies = dependencies;
        this.applicationName = applicationName;
        this.mapping = mapping;
    }

    /** Returns the source of forwarded events, which no renamed application may change by accident. */
    public String source() {
        String source = properties.source();
        if (!StringUtils.hasText(source)) {
            throw new OutboxConfigurationException(SOURCE + " is not set; it names this service to the consumers"
                    + " of its events, in every process and release. Set it, for example to /"
                    + (StringUtils.hasText(applicationName) ? applicationName : "shop"));
        }
        if (!isUriReference(source)) {
            throw new InvalidConfigurationPropertyValueException(
                    SOURCE, source, "CloudEvents requires a URI reference, such as /shop or urn:example:shop");
        }
        return source;
    }

    private static boolean isUriReference(String text) {
        try {
            return new URI(text).toASCIIString().equals(text);
        } catch (URISyntaxException ex) {
            return false;
        }
    }

    /**
     * Creates the routes to a broker. The bean of the result has the name {@code outbox<Id>Lifecycle}.
     *
     * @param broker the broker
     * @param routes settings of the routes by name
     * @param target where all routes send to
     * @param longestSend how long the broker may take to complete a message
     * @param messages returns what creates the messages of a route with a name and settings; refuses invalid ones
     */
    public <R extends RouteSettings, M> RouteLifecycle routes(
            Broker broker,
            Map<String, R> routes,
            MessageTarget<M> target,
            Duration longestSend,
            BiFunction<String, R, Function<EventEnvelope, M>> messages) {
        ServiceSource stored = new ServiceSource(
                source(), dependencies.dataSource(), settings.schemas().outbox());
        Sender<M> sender = new Sender<>(target, longestSend, System::nanoTime);
        RouteFaults failing = new RouteFaults(broker.name(), System::nanoTime);
        faults.add(failing);
        Map<String, RouteLifecycle.Route> created = new HashMap<>();
        routes.forEach((name, route) -> {
            check(broker, name, route);
            created.put(
                    name,
                    new RouteLifecycle.Route(
                            route,
                            new ForwardingHandler<>(
                                    name,
                                    messages.apply(name, route).compose(mapping::toSend),
                                    sender,
                                    failing,
                                    stored::require,
                                    System::nanoTime)));
        });
        return new RouteLifecycle(broker, created, target, stored);
    }

    private void check(Broker broker, String name, RouteSettings route) {
        if (route.eventTypes().isEmpty()
                && route.aggregateTypes().isEmpty()
                && route.streams().isEmpty()) {
            throw RouteLifecycle.withoutSelection(broker, name);
        }
        Set<String> streams = settings.polling().streams().keySet();
        if (!streams.containsAll(route.streams())) {
            throw new InvalidConfigurationPropertyValueException(
                    broker.property(name) + ".streams",
                    route.streams(),
                    "there are only the streams " + new TreeSet<>(streams));
        }
        String prefix = broker.handler("");
        route.aliases().stream()
                .filter((alias) -> alias.startsWith(prefix))
                .findFirst()
                .ifPresent((alias) -> {
                    throw new InvalidConfigurationPropertyValueException(
                            broker.property(name) + ".aliases",
                            alias,
                            "an alias is a former name of the route; that of the handler " + alias + " is "
                                    + alias.substring(prefix.length()));
                });
    }

    /** Lists the routes that cannot send, to what, and why. Routes to two brokers may share a name. */
    @Override
    public Map<String, Object> get() {
        Map<String, String> failing = new TreeMap<>();
        faults.forEach((broker) -> broker.failing()
                .forEach((route, text) -> failing.merge(route, text, (one, other) -> one + "; " + other)));
        return failing.isEmpty() ? Map.of() : Map.of("failingRoutes", failing);
    }
}
