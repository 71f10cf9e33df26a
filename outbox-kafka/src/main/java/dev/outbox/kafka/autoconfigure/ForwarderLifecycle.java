package dev.outbox.kafka.autoconfigure;

import dev.outbox.forwarding.internal.ForwardingHandler;
import dev.outbox.forwarding.internal.ServiceSource;
import dev.outbox.kafka.internal.forwarder.Route;
import dev.outbox.kafka.internal.forwarder.SharedProducer;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;

/** Reports the routes at start, and closes their producer after the pollers have stopped. */
final class ForwarderLifecycle implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(ForwarderLifecycle.class);

    /** The phase before that of the outbox: started earlier, stopped later. */
    private static final int PHASE = DEFAULT_PHASE - 1024 - 1;

    private final Map<String, Named> handlers;
    private final SharedProducer producer;
    private final ServiceSource source;
    private volatile boolean running;

    /** Route with its handler. */
    record Named(Route route, ForwardingHandler<?> handler) {}

    ForwarderLifecycle(Map<String, Named> handlers, SharedProducer producer, ServiceSource source) {
        this.handlers = Map.copyOf(handlers);
        this.producer = producer;
        this.source = source;
    }

    Named named(String name) {
        Named named = handlers.get(name);
        if (named == null) {
            throw ConfiguredRoutes.withoutSelection(name);
        }
        return named;
    }

    @Override
    public void start() {
        requireSource();
        log.info(
                "Forwarding events to Kafka: {}",
                handlers.entrySet().stream()
                        .map((named) -> named.getKey() + " to topic "
                                + named.getValue().route().topic())
                        .sorted()
                        .collect(Collectors.joining(", ")));
        producer.open();
        running = true;
    }

    /** Without a database, each route asks again before its first record. */
    private void requireSource() {
        try {
            source.require();
        } catch (DataAccessException ex) {
            log.debug("The source of this service cannot be compared yet", ex);
        }
    }

    @Override
    public void stop() {
        producer.close();
        running = false;
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
