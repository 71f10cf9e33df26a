package dev.outbox.forwarding.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.internal.ForwardingHandler;
import dev.outbox.forwarding.internal.MessageTarget;
import dev.outbox.forwarding.internal.ServiceSource;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;

/** Routes to a broker: reports them at start, opens the broker, and closes it after the pollers have stopped. */
public final class RouteLifecycle implements SmartLifecycle, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(RouteLifecycle.class);

    /** The phase before that of the outbox: started earlier, stopped later. */
    private static final int PHASE = DEFAULT_PHASE - 1024 - 1;

    private final Broker broker;
    private final Map<String, Route> routes;
    private final MessageTarget<?> target;
    private final ServiceSource source;
    private volatile boolean running;

    /** Settings of a route, with its handler. */
    record Route(RouteSettings settings, ForwardingHandler<?> handler) {}

    RouteLifecycle(Broker broker, Map<String, Route> routes, MessageTarget<?> target, ServiceSource source) {
        this.broker = broker;
        this.routes = new TreeMap<>(routes);
        this.target = target;
        this.source = source;
    }

    Route route(String name) {
        Route route = routes.get(name);
        if (route == null) {
            throw withoutSelection(broker, name);
        }
        return route;
    }

    /** Returns the exception for a route without selection, or without any known property. */
    static OutboxConfigurationException withoutSelection(Broker broker, String name) {
        String property = broker.property(name);
        return new OutboxConfigurationException(property + " selects no events; set " + property + ".event-types, "
                + property + ".aggregate-types or " + property + ".streams");
    }

    @Override
    public void start() {
        requireSource();
        log.info(
                "Forwarding events to {}: {}",
                broker.name(),
                routes.entrySet().stream()
                        .map((route) -> route.getKey() + " to "
                                + route.getValue().settings().destination())
                        .collect(Collectors.joining(", ")));
        target.open();
        running = true;
    }

    /** Without a database, each route asks again before its first message. */
    private void requireSource() {
        try {
            source.require();
        } catch (DataAccessException ex) {
            log.debug("The source of this service cannot be compared yet", ex);
        }
    }

    @Override
    public void stop() {
        target.close();
        running = false;
    }

    /** Spring does not stop what has not started. */
    @Override
    public void destroy() {
        stop();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
