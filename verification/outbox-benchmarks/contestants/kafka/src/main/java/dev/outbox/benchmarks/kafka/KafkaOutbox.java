package dev.outbox.benchmarks.kafka;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.internal.runtime.OutboxRuntime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Service with this library's Kafka module and one route. */
public final class KafkaOutbox extends Contestant {

    private final OutboxPublisher publisher;
    private final OutboxRuntime runtime;

    /** Starts the service. */
    public KafkaOutbox(Setup setup) {
        super(setup, Service.class, properties(setup));
        this.publisher = bean(OutboxPublisher.class);
        this.runtime = bean(OutboxRuntime.class);
    }

    private static Map<String, String> properties(Setup setup) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("outbox.kafka.source", "/benchmark");
        properties.put("outbox.kafka.routes.accounts.aggregate-types", "account");
        properties.put("outbox.kafka.routes.accounts.topic", PlainProducer.TOPIC);
        if (setup.tuned()) {
            properties.put("outbox.poller.batch-size", "2000");
        }
        if (!setup.role().delivers()) {
            properties.put("outbox.poller.enabled", "false");
        }
        return properties;
    }

    @Override
    public void publish(AccountChanged event) {
        publisher.publish(event(event));
    }

    @Override
    public void publishAll(List<AccountChanged> events) {
        publisher.publishAll(events.stream().map(KafkaOutbox::event).toList());
    }

    private static OutboxEvent event(AccountChanged event) {
        return OutboxEvent.of("account", Integer.toString(event.key()), event);
    }

    @Override
    public void start() {
        runtime.start();
    }

    @Override
    public String pending() {
        return "SELECT count(*) FROM events.outbox_unpublished";
    }

    @Override
    public void close() {
        runtime.close();
        super.close();
    }
}
