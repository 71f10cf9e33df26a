package dev.outbox.benchmarks.namastack;

import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.Setup;
import io.namastack.outbox.Outbox;
import io.namastack.outbox.OutboxProcessingScheduler;
import io.namastack.outbox.instance.OutboxInstanceRegistry;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Service with namastack-outbox. It keeps the order of each key: a poll reads keys, not events, and one thread handles
 * all events of a key.
 */
public final class Namastack extends Contestant {

    private final Outbox outbox;
    private final OutboxProcessingScheduler scheduler;

    /** Starts the service. */
    public Namastack(Setup setup) {
        super(setup, Service.class, properties(setup));
        this.outbox = bean(Outbox.class);
        this.scheduler = bean(OutboxProcessingScheduler.class);
        if (!setup.role().delivers()) {
            // A process that does not deliver must not own a share of the keys.
            bean(OutboxInstanceRegistry.class).stop();
        }
    }

    private static Map<String, String> properties(Setup setup) {
        Map<String, String> properties = new LinkedHashMap<>();
        if (setup.tuned()) {
            properties.put("namastack.outbox.polling.batch-size", "1000");
            properties.put("namastack.outbox.polling.fixed.interval", "5ms");
            properties.put("namastack.outbox.processing.executor-core-pool-size", "16");
            properties.put("namastack.outbox.processing.executor-max-pool-size", "16");
            properties.put("namastack.outbox.processing.delete-completed-records", "true");
            properties.put("namastack.outbox.instance.rebalance-interval", "1000");
            properties.put("namastack.outbox.retry.policy", "fixed");
            properties.put("namastack.outbox.retry.fixed.delay", Setup.RETRY_AFTER_MILLIS + "ms");
        }
        if (!setup.role().delivers()) {
            properties.put("namastack.outbox.instance.rebalance-interval", "3600000");
        }
        return properties;
    }

    @Override
    public void publish(AccountChanged event) {
        outbox.schedule(event, Integer.toString(event.key()));
    }

    @Override
    public void start() {
        if (setup.role().delivers()) {
            bean(Gate.class).open();
            // The restart makes the scheduler ask the trigger for the next poll again.
            scheduler.stop();
            scheduler.start();
        }
    }

    @Override
    public String pending() {
        return "SELECT count(*) FROM outbox_record WHERE status <> 'COMPLETED'";
    }
}
