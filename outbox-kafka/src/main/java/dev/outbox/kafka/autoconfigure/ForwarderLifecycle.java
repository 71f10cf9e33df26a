package dev.outbox.kafka.autoconfigure;

import dev.outbox.kafka.internal.forwarder.Routes;
import dev.outbox.kafka.internal.forwarder.SharedProducer;
import dev.outbox.kafka.internal.forwarder.TopicCheck;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Reports the routes and checks their topics at start, and closes the producer after the pollers have stopped. */
final class ForwarderLifecycle implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(ForwarderLifecycle.class);

    /** The phase before that of the outbox: started earlier, stopped later. */
    private static final int PHASE = DEFAULT_PHASE - 1024 - 1;

    private final Routes routes;
    private final SharedProducer producer;
    private final TopicCheck check;
    private volatile @Nullable Thread checking;

    ForwarderLifecycle(Routes routes, SharedProducer producer, TopicCheck check) {
        this.routes = routes;
        this.producer = producer;
        this.check = check;
    }

    @Override
    public void start() {
        log.info(
                "Forwarding events to Kafka: {}",
                routes.all().stream().map(Object::toString).collect(Collectors.joining(", ")));
        producer.open();
        Thread thread = new Thread(check, "outbox-kafka-topics");
        thread.setDaemon(true);
        thread.start();
        checking = thread;
    }

    @Override
    public void stop() {
        Thread thread = checking;
        if (thread != null) {
            thread.interrupt();
            checking = null;
        }
        producer.close();
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
