package dev.outbox.benchmarks.outbox;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.internal.runtime.OutboxRuntime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Service with this library's starter. Can run the task {@code retention}; {@code instance} adds an instance to the process. */
public class Outbox extends Contestant {

    private static final int CONNECTIONS_OF_OTHERS = 3;

    private final OutboxPublisher publisher;
    private final OutboxRuntime runtime;
    private final List<Outbox> others = new ArrayList<>();

    /** Starts the service. */
    public Outbox(Setup setup) {
        this(setup, Service.class, Map.of());
    }

    /** Starts a service with other handlers and more properties. */
    protected Outbox(Setup setup, Class<?> configuration, Map<String, String> more) {
        super(setup, configuration, properties(setup, more));
        this.publisher = bean(OutboxPublisher.class);
        this.runtime = bean(OutboxRuntime.class);
    }

    private static Map<String, String> properties(Setup setup, Map<String, String> more) {
        Map<String, String> properties = new LinkedHashMap<>(more);
        if (setup.tuned()) {
            properties.put("outbox.poller.batch-size", "2000");
            properties.put("outbox.retry.delays", Setup.RETRY_AFTER_MILLIS + "ms");
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
        publisher.publishAll(events.stream().map(this::event).toList());
    }

    /** Returns the event to publish; the outbox gives its sequence. */
    OutboxEvent event(AccountChanged event) {
        return OutboxEvent.of("account", Integer.toString(event.key()), event);
    }

    @Override
    public void start() {
        runtime.start();
        others.forEach(Outbox::start);
    }

    @Override
    public String pending() {
        return "SELECT count(*) FROM events.outbox_unpublished";
    }

    @Override
    public long perform(String task) throws Exception {
        if (task.equals("retention")) {
            return runtime.retention().runOnce();
        }
        if (task.equals("instance")) {
            others.add(new Outbox(setup.withPool(CONNECTIONS_OF_OTHERS)));
            return others.size();
        }
        return super.perform(task);
    }

    @Override
    public void close() {
        others.forEach(Outbox::close);
        runtime.close();
        super.close();
    }
}
