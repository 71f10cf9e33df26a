package dev.outbox.spring.autoconfigure.health;

import dev.outbox.internal.dispatch.RunningHandlers.Invoked;
import dev.outbox.internal.metrics.QueueGauges;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings.Polling;
import dev.outbox.internal.store.StatusStore.Counts;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports UP while the pollers run or are disabled, OUT_OF_SERVICE while enabled pollers do not run, and DOWN while the database does not
 * answer. The backlog, dead events, stuck handlers and open circuits are details, because a restart would not help. The counts come from the
 * gauges' cache, so frequent checks are cheap.
 */
final class OutboxHealthIndicator extends AbstractHealthIndicator {

    private final OutboxRuntime runtime;
    private final Polling polling;
    private final QueueGauges gauges;

    OutboxHealthIndicator(OutboxRuntime runtime, Polling polling, QueueGauges gauges) {
        super("the outbox health check failed");
        this.runtime = runtime;
        this.polling = polling;
        this.gauges = gauges;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        boolean running = polling.enabled() && runtime.isRunning();
        if (running || !polling.enabled()) {
            builder.up();
        } else {
            builder.outOfService();
        }
        Map<String, Object> streams = new TreeMap<>();
        polling.streams()
                .keySet()
                .forEach(
                        (stream) -> gauges.current(stream).ifPresent((counts) -> streams.put(stream, details(counts))));
        if (streams.isEmpty()) {
            builder.down().withDetail("reason", "the database refused to count the events, or did not answer in time");
        }
        builder.withDetail("polling", running).withDetail("streams", streams);
        List<Map<String, Object>> stuck = runtime.runningHandlers().stuck().stream()
                .map(OutboxHealthIndicator::details)
                .toList();
        if (!stuck.isEmpty()) {
            builder.withDetail("stuckHandlers", stuck);
        }
        Set<String> open = new TreeSet<>(runtime.openCircuits());
        if (!open.isEmpty()) {
            builder.withDetail("openCircuits", open);
        }
    }

    private static Map<String, Object> details(Invoked stuck) {
        return new TreeMap<>(Map.of(
                "handler", stuck.handlerId(),
                "stream", stuck.event().stream(),
                "event", stuck.event().toString(),
                "running", stuck.running().toString()));
    }

    private static Map<String, Object> details(Counts counts) {
        return new TreeMap<>(Map.of(
                "pending", counts.pending(),
                "processing", counts.processing(),
                "retrying", counts.retrying(),
                "dead", counts.dead(),
                "oldestPending", counts.oldestPending().toString()));
    }
}
