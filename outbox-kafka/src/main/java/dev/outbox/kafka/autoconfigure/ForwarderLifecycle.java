package dev.outbox.kafka.autoconfigure;

import dev.outbox.kafka.internal.forwarder.Forwarder;
import dev.outbox.kafka.internal.forwarder.ServiceSource;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;

/** Reports the routes and checks their topics at start, and closes the producers after the pollers have stopped. */
final class ForwarderLifecycle implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(ForwarderLifecycle.class);

    /** The phase before that of the outbox: started earlier, stopped later. */
    private static final int PHASE = DEFAULT_PHASE - 1024 - 1;

    private final Map<String, Forwarder> forwarders;
    private final ServiceSource source;
    private volatile @Nullable Thread checking;

    ForwarderLifecycle(Map<String, Forwarder> forwarders, ServiceSource source) {
        this.forwarders = Map.copyOf(forwarders);
        this.source = source;
    }

    Forwarder named(String name) {
        Forwarder forwarder = forwarders.get(name);
        if (forwarder == null) {
            throw new IllegalArgumentException("there is no route " + name);
        }
        return forwarder;
    }

    @Override
    public void start() {
        requireSource();
        log.info(
                "Forwarding events to Kafka: {}",
                forwarders.values().stream().map(Object::toString).sorted().collect(Collectors.joining(", ")));
        forwarders.values().forEach((forwarder) -> forwarder.client().producer().open());
        Thread thread = new Thread(() -> forwarders.values().forEach(Forwarder::check), "outbox-kafka-topics");
        thread.setDaemon(true);
        thread.start();
        checking = thread;
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
        Thread thread = checking;
        if (thread != null) {
            thread.interrupt();
            checking = null;
        }
        forwarders.values().forEach((forwarder) -> forwarder.client().producer().close());
    }

    @Override
    public boolean isRunning() {
        return checking != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
